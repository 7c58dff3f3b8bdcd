"""CS102: `not` on a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.lint.choices import form_of
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.surroundings import is_test

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class TensorNot(Rule):
    """`not` on a tensor."""

    code = "CS102"
    name = "tensor-not"
    summary = "`not` on a tensor"
    gb_ids = ("GB0033",)
    reason = wording.BRANCH
    help = wording.USE_WHERE

    fixable = "unsafe"
    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        if fact.detail != "not" or not certainty:
            return
        form = form_of(fact)
        report = Report(
            "`not` turns a tensor into a Python bool",
            certainty=certainty,
            fix="unsafe" if form else "",
        )
        if is_test(fact):  # the branch is taken the other way round: no `not` is compiled
            report.gb_ids = ("GB0170",)
            if form == "raise":
                report.reason, report.help = wording.CHECK, wording.USE_ASSERT
        else:
            report.severity = "eager"
            report.reason, report.help = wording.NOT, wording.USE_LOGICAL_NOT
        yield report

    def fix(self, correction: Correction) -> None:
        """Write the choice, the check or `torch.logical_not`."""
        from compilescope.lint.choosing import rewrite_branch

        rewrite_branch(correction)
