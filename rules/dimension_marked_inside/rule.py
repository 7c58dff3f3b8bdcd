"""CS218: mark_dynamic in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class DimensionMarkedInside(Rule):
    """Mark_dynamic in compiled code."""

    code = "CS218"
    name = "dimension-marked-inside"
    summary = "mark_dynamic in compiled code"
    severity = "raises"
    reason = "Inputs can be marked only before they enter the compiled function."
    help = "mark the input before the call"

    facts = (
        "call:torch._dynamo.mark_dynamic",
        "call:torch._dynamo.maybe_mark_dynamic",
        "call:torch._dynamo.mark_static",
        "call:torch._dynamo.mark_unbacked",
    )

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        yield Report(exact=True)
