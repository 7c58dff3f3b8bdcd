"""CS209: a branch on the remainder of a size."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class BranchOnRemainder(Rule):
    """A branch on the remainder of a size."""

    code = "CS209"
    name = "branch-on-remainder"
    summary = "a branch on the remainder of a size"
    severity = "bounded"
    reason = "Each outcome of the branch is another graph."
    help = "pad always, by `-size % number`"

    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        decides = fact.detail in ("if", "while", "ternary", "and", "or")
        if decides and fact.value.kind == "number" and fact.value.data == "remainder":
            yield Report()
