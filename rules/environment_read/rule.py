"""CS216: an environment variable read in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class EnvironmentRead(Rule):
    """An environment variable read in compiled code."""

    code = "CS216"
    name = "environment-read"
    summary = "an environment variable read in compiled code"
    severity = "bounded"
    reason = "The variable becomes a guard."
    help = "read it once at module level"

    facts = ("call:os.environ.get", "index")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key == "index" and fact.value.data != "os.environ":
            return
        yield Report()
