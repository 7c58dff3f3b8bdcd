"""CS193: clip_grad_norm_ that checks for non-finite values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class NonfiniteCheck(Rule):
    """Clip_grad_norm_ that checks for non-finite values."""

    code = "CS193"
    name = "nonfinite-check"
    summary = "clip_grad_norm_ that checks for non-finite values"
    gb_ids = ("GB0170",)
    reason = "The check is a branch on data."
    help = "check the returned norm outside"

    fixable = "unsafe"
    facts = ("call:torch.nn.utils.clip_grad_norm_", "call:torch.nn.utils.get_total_norm")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        flag = fact.keywords.get("error_if_nonfinite")
        if flag is not None and flag.data is True:
            yield Report(fix="unsafe")

    def fix(self, correction: Correction) -> None:
        """Leave the check out."""
        correction.remove_argument("error_if_nonfinite")
