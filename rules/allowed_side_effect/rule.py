"""CS405: a side effect in a function that is taken into the graph as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

EFFECTS = frozenset(("print", "append", "extend", "update", "add", "write"))


class AllowedSideEffect(Rule):
    """A side effect in a function that is taken into the graph as it is."""

    code = "CS405"
    name = "allowed-side-effect"
    summary = "a side effect in a function that is taken into the graph as it is"
    severity = "note"
    reason = "The effect happens while tracing, not once for each call."
    help = "make it a `torch.library.custom_op`"

    facts = ("call:torch.compiler.allow_in_graph()", "call:torch._dynamo.allow_in_graph()")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        inner = fact.value.data.data
        node = getattr(inner, "function", inner).node
        body = node.body if isinstance(node.body, list) else [node.body]
        for part in (n for statement in body for n in ast.walk(statement)):
            name = ""
            if isinstance(part, ast.Call):
                name = getattr(part.func, "id", getattr(part.func, "attr", ""))
            if isinstance(part, ast.Global | ast.Nonlocal) or name in EFFECTS:
                yield Report()
                return
