"""CS197: a distribution that validates its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class ValidatedDistribution(Rule):
    """A distribution that validates its arguments."""

    code = "CS197"
    name = "validated-distribution"
    summary = "a distribution that validates its arguments"
    captured = True
    gb_ids = ("GB0007", "GB0170")
    reason = "The check branches on the data of the arguments."
    help = "leave `validate_args` out"

    fixable = "unsafe"
    facts = ("package:torch.distributions",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        flag = fact.keywords.get("validate_args")
        if flag is not None and flag.data is True:
            yield Report(fix="unsafe")

    def fix(self, correction: Correction) -> None:
        """Leave the check out."""
        correction.remove_argument("validate_args")
