"""CS202: a global Python number that each call changes."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class GlobalCounter(Rule):
    """A global Python number that each call changes."""

    code = "CS202"
    name = "global-counter"
    summary = "a global Python number that each call changes"
    severity = "limit"
    reason = "The graph is compiled for the value it saw; the next call has another one."
    help = "keep it in a tensor, or count outside"

    facts = ("store-global",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind == "number" and (fact.extra or fact.value.data == "state"):
            yield Report(f"global `{fact.detail}` is a Python number that each call changes")
