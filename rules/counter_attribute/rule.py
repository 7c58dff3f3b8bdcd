"""CS201: a Python number on an object that each call changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.lint.calls import persists
from compilescope.lint.counters import can_be_buffer, is_module
from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class CounterAttribute(Rule):
    """A Python number on an object that each call changes."""

    code = "CS201"
    name = "counter-attribute"
    summary = "a Python number on an object that each call changes"
    severity = "limit"
    reason = "The graph is compiled for the value it saw; the next call has another one."
    help = "keep it as a buffer and use `add_`, or count outside"

    fixable = "unsafe"
    facts = ("store-attribute", "store-index")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key == "store-index":
            if counts_item(fact):
                place = ast.unparse(fact.extra[0])
                yield Report(f"`{place}` is a Python number that each call changes")
        else:
            yield from self.of_attribute(fact)

    def of_attribute(self, fact: Fact) -> Iterator[Report]:
        """A number that an object holds."""
        place, operator = fact.extra
        owner = fact.value
        number = fact.other
        if owner.kind != "instance" or owner.note == "fresh" or owner.data.repeated:
            return
        if number.kind not in ("number", "const"):
            return
        if number.kind == "const" and not (operator and isinstance(number.data, int | float)):
            return
        if number.kind == "number" and not (operator or number.data == "state"):
            return
        if number.data == "bool":
            return
        message = f"`{ast.unparse(place)}` is a Python number that each call changes"
        held = isinstance(owner.data.owner.node, ast.ClassDef) and is_module(owner.data.owner.node)
        yield Report(
            message,
            severity="bounded" if settles(fact) else None,
            reason=f"{wording.MODULE_INT}." if held and type(number.data) is not float else "",
            help=wording.USE_BUFFER.format("the number") + wording.USE_IN_PLACE if held else "",
            fix="unsafe" if can_be_buffer(fact) else "",
        )

    def fix(self, correction: Correction) -> None:
        """Keep it in a buffer."""
        from compilescope.lint.counters import make_buffer

        make_buffer(correction)


def counts_item(fact: Fact) -> bool:
    """Whether an item of a container that outlives the call is a number, and changed."""
    target, value = fact.extra
    if not isinstance(target, ast.Subscript) or not persists(fact.frame, target.value):
        return False
    changed = getattr(fact.node, "value", None)
    own = isinstance(changed, ast.BinOp) and ast.unparse(target) == ast.unparse(changed.left)
    held = fact.value.kind in ("dict", "tuple", "list") and fact.value.note != "fresh"
    number = value.kind == "number" or (value.kind == "const" and type(value.data) is int)
    return bool(held and number and (fact.detail or own))


def settles(fact: Fact) -> bool:
    """Whether the compiler takes the number as an input soon, or it stops growing."""
    value = getattr(fact.node, "value", None)
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("max", "min"):
        return True
    return isinstance(value, ast.Constant) and type(value.value) is float
