"""CS401: os.getenv in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class FrozenEnvironment(Rule):
    """Os.getenv in compiled code."""

    code = "CS401"
    name = "frozen-environment"
    summary = "os.getenv in compiled code"
    severity = "note"
    reason = "The value is frozen when the graph is built."
    help = "read it once at module level, or use `os.environ.get`"

    facts = ("call:os.getenv",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        del fact
        yield Report()
