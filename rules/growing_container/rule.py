"""CS204: a container that grows with each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

GROW = frozenset(("append", "appendleft", "insert", "extend", "add"))


class GrowingContainer(Rule):
    """A container that grows with each call."""

    code = "CS204"
    name = "growing-container"
    summary = "a container that grows with each call"
    severity = "limit"
    reason = "The length is guarded, and it differs on the next call."
    help = "return the value, or write into a buffer of fixed size"

    facts = ("mutate",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        receiver, persists = fact.extra
        if fact.detail in GROW and persists and fact.value.note != "fresh":
            yield Report(f"`{ast.unparse(receiver)}` grows with each call")
