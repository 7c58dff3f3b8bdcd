"""CS223: a state that the first call finds empty and sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import NONE, Value, alternatives, const

_START = (bool, int, float, type(None))


class SetOnFirstCall(Rule):
    """A state that the first call finds empty and sets."""

    code = "CS223"
    name = "set-on-first-call"
    summary = "a state that the first call finds empty and sets"
    severity = "bounded"
    reason = "What the first call found is a constant of its graph; the second call has another."
    help = "set it before compiled code runs: in `__init__`, or outside"

    facts = ("read-attribute", "store-attribute", "store-global", "store-nonlocal")

    def __init__(self) -> None:
        self.reads: dict[object, Fact] = {}
        self.stored: set[object] = set()  # before anything read them
        self.lines: set[tuple[str, int]] = set()  # several states of one line are one recompile

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place that reads it."""
        del target
        if fact.key == "store-global":
            yield from self.of_variable(fact, global_start(fact))
        elif fact.key == "store-nonlocal":
            yield from self.of_variable(fact, outer_start(fact))
        elif fact.value.kind == "instance" and fact.value.note != "fresh":
            yield from self.of_attribute(fact)

    def of_attribute(self, fact: Fact) -> Iterator[Report]:
        """An attribute: each object of the class starts with the same."""
        name = (fact.value.data, fact.detail)
        if fact.key == "read-attribute":
            if name not in self.stored and is_start(fact.other):
                self.reads.setdefault(name, fact.kept())
            return
        read = self.reads.get(name)
        if read is None:
            self.stored.add(name)
        elif fact.site.rare or fact.value.data.repeated or put_back(fact, read.other):
            return
        elif differs(read.other, fact.other) or is_flipped(fact):
            place = ast.unparse(read.node)
            yield from self.once(read, read.node, f"`{place}` is {read.other.data}")

    def once(self, fact: Fact, node: Any, text: str) -> Iterator[Report]:
        """The first state of a line."""
        line = (fact.site.module.path, node.lineno)
        if line not in self.lines:
            self.lines.add(line)
            yield Report(f"{text} until the first call sets it", at=fact, node=node)

    def of_variable(self, fact: Fact, start: Value) -> Iterator[Report]:
        """A global, or a variable of the enclosing function."""
        function = fact.site.function
        if function is None or not is_start(start) or not differs(start, fact.value):
            return
        names = [n for n in ast.walk(function.node) if isinstance(n, ast.Name)]
        last = fact.node.end_lineno  # type: ignore[attr-defined]
        for node in names:
            if node.id == fact.detail and isinstance(node.ctx, ast.Load) and node.lineno <= last:
                yield from self.once(fact, node, f"`{fact.detail}` is {start.data}")
                return


def is_start(value: Value) -> bool:
    """Whether a value is what a state is before anything has happened."""
    return value.kind == "const" and type(value.data) in _START


def differs(start: Value, now: Value) -> bool:
    """Whether the guard on the first value fails with the second."""
    if start == NONE:
        return NONE not in alternatives(now)
    if isinstance(start.data, bool):
        return now.kind == "const" and type(now.data) is bool and now.data != start.data
    return now.kind == "tensor"


def is_flipped(fact: Fact) -> bool:
    """Whether a switch is set to what it was not."""
    target, value = fact.extra[0], getattr(fact.node, "value", None)
    is_not = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    return is_not and ast.unparse(value.operand) == ast.unparse(target)  # type: ignore[union-attr]


def put_back(fact: Fact, start: Value) -> bool:
    """Whether the method ends with what it found."""
    function = fact.site.function
    stores = fact.value.data.owner.stored.get(fact.detail, ())
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and const(node.value.value) == start
        for method, node in stores
        if function is not None and method == function.name
    )


def global_start(fact: Fact) -> Value:
    """What a global is when the file is loaded."""
    first: Any = fact.site.module.definitions.get(fact.detail, (None,))[0]
    return const(first.value) if isinstance(first, ast.Constant) else Value("unknown")


def outer_start(fact: Fact) -> Value:
    """What a variable of the enclosing function is so far."""
    scope = fact.frame.outer
    while scope is not None and fact.detail not in scope.env:
        scope = scope.outer
    return scope.env[fact.detail] if scope is not None else Value("unknown")
