"""What sets two specialisations of a Triton kernel apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compilescope.model import KernelArgument, KernelCompiled

Kind = Literal["one", "divisible", "width", "dtype", "constexpr", "option", "alignment", "other"]

_INTEGERS = frozenset(("i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "int"))


@dataclass(frozen=True)
class Change:
    """One difference."""

    argument: str  # "num_warps" where it is an option
    kind: Kind
    before: str
    after: str


def changes(earlier: KernelCompiled, later: KernelCompiled) -> tuple[Change, ...]:
    """Every difference between two specialisations of one kernel."""
    before = {argument.name: argument for argument in earlier.arguments}
    found = [
        change
        for argument in later.arguments
        if (change := _change(before.get(argument.name), argument)) is not None
    ]
    for name in sorted({*earlier.options, *later.options}):
        old, new = earlier.options.get(name, ""), later.options.get(name, "")
        if old != new:
            found.append(Change(name, "option", old, new))
    return tuple(found)


def _change(old: KernelArgument | None, new: KernelArgument) -> Change | None:
    if old is None or old == new:
        return None
    kind = _kind(old, new)
    return Change(new.name, kind, _said(old, kind), _said(new, kind))


def _kind(old: KernelArgument, new: KernelArgument) -> Kind:
    types = {old.type, new.type}
    if types == {"constexpr"}:
        return "constexpr"
    if "int" in types and types <= _INTEGERS:
        return "one"
    if types <= _INTEGERS and len(types) == 2:
        return "width"
    if len(types) == 2:
        pointers = all(name.startswith("*") for name in types)
        return "dtype" if pointers or not types & _INTEGERS else "other"
    if old.divisible != new.divisible:
        return "alignment" if new.type.startswith("*") else "divisible"
    return "other"


def _said(argument: KernelArgument, kind: Kind) -> str:
    match kind:
        case "one" | "divisible" if argument.type == "int":
            return argument.value
        case "one" | "divisible":
            return "a multiple of 16" if argument.divisible else "not a multiple of 16"
        case "alignment":
            return "aligned to 16 bytes" if argument.divisible else "not aligned"
        case "constexpr":
            return argument.value
        case _:
            return argument.value or argument.type
