"""CS103: a tensor turned into a Python bool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope.lint.choices import form_of
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class TensorBool(Rule):
    """A tensor turned into a Python bool."""

    code = "CS103"
    name = "tensor-bool"
    summary = "a tensor turned into a Python bool"
    captured = True
    gb_ids = ("GB0124", "GB0170")
    reason = "The value exists only when the graph runs."
    help = "keep the 0-d tensor"

    fixable = "unsafe"
    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        if fact.detail in ("bool()", "any()") and certainty:
            fix: Literal["unsafe", ""] = ""
            if fact.detail == "bool()" and form_of(fact) in ("choose", "raise"):
                fix = "unsafe"
            yield Report("tensor data becomes a Python bool", certainty=certainty, fix=fix)

    def fix(self, correction: Correction) -> None:
        """Write the choice or the check on the tensor itself."""
        from compilescope.lint.choosing import rewrite_branch

        rewrite_branch(correction)
