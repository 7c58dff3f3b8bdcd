"""CS218: mark_dynamic in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

MARKS = ("mark_dynamic", "maybe_mark_dynamic", "mark_static", "mark_unbacked")


class DimensionMarkedInside(Rule):
    """Mark_dynamic in compiled code."""

    code = "CS218"
    name = "dimension-marked-inside"
    summary = "mark_dynamic in compiled code"
    severity = "raises"
    reason = "Inputs can be marked only before they enter the compiled function."
    help = "mark the input before the call"

    facts = tuple(f"call:torch._dynamo.{name}" for name in MARKS)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        del fact
        yield Report(exact=True)
