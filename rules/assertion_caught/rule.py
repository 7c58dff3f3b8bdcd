"""CS404: AssertionError caught around a compiled call."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class AssertionCaught(Rule):
    """AssertionError caught around a compiled call."""

    code = "CS404"
    name = "assertion-caught"
    summary = "AssertionError caught around a compiled call"
    severity = "note"
    everywhere = True
    reason = "Compiled assertions raise RuntimeError."
    help = "catch RuntimeError, too"

    facts = ("compiled-call",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if "AssertionError" in fact.site.catches and "RuntimeError" not in fact.site.catches:
            yield Report()
