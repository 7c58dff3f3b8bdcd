"""CS136: the message of a check reads what is not a constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.frames import Closure
from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import Value, is_tensor

CHECKS = "_check _check_value _check_index _check_type _check_not_implemented"


class CheckMessage(Rule):
    """The message of a check reads what is not a constant."""

    code = "CS136"
    name = "check-message"
    summary = "the message of a check reads what is not a constant"
    gb_ids = ("GB9158", "GB9840", "GB0288")
    reason = "The message goes into the graph as a constant, so it may not read a tensor or self."
    help = "put the numbers into names before and show those, or leave the message out"

    facts = tuple(f"call:torch.{name}" for name in CHECKS.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        message = fact.argument(1, "message")
        closure = message.data if message is not None else None
        if isinstance(closure, Closure) and any(map(is_held, captured(closure))):
            yield Report()


def captured(closure: Closure) -> Iterator[Value]:
    """What a function reads of the one around it."""
    for node in ast.walk(closure.function.node):
        if isinstance(node, ast.Name) and node.id in closure.frame.env:
            yield closure.frame.env[node.id]


def is_held(value: Value) -> bool:
    """Whether a value is a tensor or an object, which a message cannot keep."""
    return is_tensor(value) or value.kind == "instance"
