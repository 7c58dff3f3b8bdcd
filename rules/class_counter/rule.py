"""CS206: a number on a class that each call changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class ClassCounter(Rule):
    """A number on a class that each call changes."""

    code = "CS206"
    name = "class-counter"
    summary = "a number on a class that each call changes"
    severity = "limit"
    reason = "The graph is compiled for the value it saw; the next call has another one."
    help = "keep it in a tensor, or count outside"

    facts = ("store-attribute",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind == "class" and fact.extra[1] and fact.other.kind in ("number", "const"):
            yield Report(f"`{ast.unparse(fact.extra[0])}` changes with each call")
