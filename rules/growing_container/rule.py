"""CS204: a container that grows with each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Severity, Versions
from compilescope.lint.surroundings import parents

GROW = frozenset(("append", "appendleft", "insert", "extend", "add"))
TAKE = frozenset(("pop", "popleft"))
SHRINK = TAKE | {"clear", "remove", "discard"}


class GrowingContainer(Rule):
    """A container that grows with each call."""

    code = "CS204"
    name = "growing-container"
    summary = "a container that grows with each call"
    severity = "limit"
    reason = "The length is guarded, and it differs on the next call."
    help = "return the value, or write into a buffer of fixed size"

    facts = ("mutate", "store-attribute")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key == "store-attribute":
            receiver, operator = fact.extra
            kept = fact.value.kind == "instance" and fact.value.note != "fresh"
            grows = kept and is_joined(fact, receiver, operator)
        else:
            receiver, persists = fact.extra
            grows = fact.detail in GROW and persists and fact.value.note != "fresh"
        if not grows:
            return
        text = ast.unparse(receiver)
        severity = severity_of(fact, text)
        if severity is not None:
            yield Report(f"`{text}` grows with each call", severity=severity)


def is_joined(fact: Fact, receiver: ast.expr, operator: str) -> bool:
    """Whether a list or tuple is stored that is the old one and something more."""
    if fact.other.kind not in ("list", "tuple"):
        return False
    if operator == "Add":
        return True
    value = getattr(fact.node, "value", None)
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return False
    return ast.unparse(receiver) in (ast.unparse(value.left), ast.unparse(value.right))


def severity_of(fact: Fact, text: str) -> Severity | None:
    """How often it recompiles: as long as the container grows; None where it ends as it began."""
    table = parents(fact)
    shrinks = [
        call
        for call in table
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in SHRINK
        and ast.unparse(call.func.value) == text
    ]
    for call in shrinks:
        node: ast.AST | None = call
        while node is not None and not isinstance(node, ast.stmt):
            node = table.get(node)
        always = isinstance(table.get(node) if node else None, ast.FunctionDef)
        if always and getattr(call.func, "attr", "") in TAKE:
            return None
    bounded = shrinks or fact.detail == "add" or fact.value.note == "deque of a fixed length"
    return "bounded" if bounded else "limit"
