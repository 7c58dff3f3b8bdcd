"""CS207: a Python loop whose length is a size."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class LoopOverSize(Rule):
    """A Python loop whose length is a size."""

    code = "CS207"
    name = "loop-over-size"
    summary = "a Python loop whose length is a size"
    severity = "bounded"  # as often as the size differs
    reason = "The loop is unrolled for the size that was seen."
    help = "use an operator over the dimension, or compile the body only"

    facts = ("iterate",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.value
        counted = fact.detail == "for" and value.kind == "list" and value.note == "range"
        if counted and value.data.data == "shape":
            yield Report()
