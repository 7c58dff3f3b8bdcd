"""CS201: a Python number on an object that each call changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
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
    facts = ("store-attribute",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        place, operator = fact.extra
        owner = fact.value
        number = fact.other
        if owner.kind != "instance" or owner.note == "fresh":
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
            reason=f"{wording.MODULE_INT}." if held and type(number.data) is not float else "",
            help=wording.USE_BUFFER.format("the number") + wording.USE_IN_PLACE if held else "",
            fix="unsafe" if can_be_buffer(fact) else "",
        )

    def fix(self, correction: Correction) -> None:
        """Keep it in a buffer."""
        from compilescope.lint.counters import make_buffer

        make_buffer(correction)
