"""CS187: a graph break left in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.surroundings import is_statement

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class GraphBreakLeft(CallRule):
    """A graph break left in."""

    code = "CS187"
    name = "graph-break-left"
    summary = "a graph break left in"
    names = {
        "torch._dynamo.graph_break": "",
        "torch._dynamo.decorators.graph_break": "",
    }
    gb_ids = ("GB0025",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "delete it"
    fixable = "unsafe"

    def can_fix(self, fact: Fact) -> bool:
        """The call is a statement."""
        return is_statement(fact)

    def fix(self, correction: Correction) -> None:
        """Delete it."""
        correction.remove(correction.statement())
