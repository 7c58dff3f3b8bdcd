"""CS187: a graph break left in."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


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
