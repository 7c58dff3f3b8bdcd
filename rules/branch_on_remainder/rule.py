"""CS209: a branch on the remainder of a size."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.surroundings import leads_to_error


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
        size = fact.value.kind == "number" and fact.value.data == "remainder"
        if decides and size and not leads_to_error(fact):
            yield Report()
