"""CS214: a tensor attribute that grows with each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class GrowingCache(Rule):
    """A tensor attribute that grows with each call."""

    code = "CS214"
    name = "growing-cache"
    summary = "a tensor attribute that grows with each call"
    severity = "bounded"
    reason = "The size is a constant of the first graph."
    help = "allocate it once and write with `index_copy_`"

    facts = ("store-attribute",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        place, _ = fact.extra
        value = getattr(fact.node, "value", None)
        if fact.value.kind != "instance" or value is None:
            return
        own = ast.unparse(place)
        for call in ast.walk(value):
            if isinstance(call, ast.Call) and call.args:
                joins = getattr(call.func, "attr", "") in ("cat", "concat", "hstack", "vstack")
                parts = getattr(call.args[0], "elts", [])
                if joins and any(ast.unparse(part) == own for part in parts):
                    yield Report(f"`{own}` grows with each call")
                    return
