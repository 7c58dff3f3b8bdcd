"""CS101: Python decides on the value of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.lint.choices import form_of
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction

CONSTRUCTS = {
    "if": "`if`",
    "while": "`while`",
    "ternary": "a conditional expression",
    "and": "`and`",
    "or": "`or`",
    "compare": "a chain of comparisons",
    "match": "`match`",
    "comprehension-if": "the condition of a comprehension",
}

# what the diagnosis of a run says of the same lines; else what the rule says
REASONS = {"raise": wording.CHECK, "while": wording.LOOP}
INSTEAD = {"raise": wording.USE_ASSERT, "while": wording.USE_FIXED_STEPS}


class DataDependentBranch(Rule):
    """Python decides on the value of a tensor."""

    code = "CS101"
    name = "data-dependent-branch"
    summary = "Python decides on the value of a tensor"
    gb_ids = ("GB0170",)
    reason = wording.BRANCH
    help = wording.USE_WHERE

    fixable = "unsafe"
    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        if fact.detail in CONSTRUCTS and certainty:
            subject = CONSTRUCTS[fact.detail]
            form = form_of(fact)
            yield Report(
                f"{subject} decides on the value of a tensor",
                certainty=certainty,
                reason=REASONS.get(form) or REASONS.get(fact.detail, ""),
                help=INSTEAD.get(form) or INSTEAD.get(fact.detail, ""),
                fix="unsafe" if form else "",
            )

    def fix(self, correction: Correction) -> None:
        """Write the choice or the check without a branch."""
        from compilescope.lint.choosing import rewrite_branch

        rewrite_branch(correction)
