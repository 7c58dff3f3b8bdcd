"""What sets two specialisations of a Triton kernel apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from compilescope.model import KernelArgument, KernelCompiled

Kind = Literal[
    "one",
    "divisible",
    "bool",
    "width",
    "number",
    "dtype",
    "none",
    "block",
    "length",
    "constexpr",
    "option",
    "alignment",
    "other",
]

_INTEGERS = frozenset(("i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "int"))
_WIDE = frozenset(("i64", "u64"))
_BOOLS = frozenset(("i1", "u1"))
_FLOAT = re.compile(r"(?:fp|bf)\d")
_DESCRIPTOR = re.compile(r"tensordesc<(?P<dtype>\w+)\[(?P<block>[^\]]*)\]")
_ELEMENT = re.compile(r"^(?P<tuple>.+)\[(?P<number>\d+)\]$")
# A launch is held against the earlier one that is most alike, not against one of another sort.
_SLIGHT = 1
_WEIGHTS: dict[Kind, int] = {"width": 2, "constexpr": 2, "option": 2, "number": 3, "none": 3}
_WEIGHTS |= {"dtype": 3, "block": 3, "length": 3, "other": 3}


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
    found += _lengths(earlier, later)
    for name in sorted({*earlier.options, *later.options}):
        old, new = earlier.options.get(name, ""), later.options.get(name, "")
        if old != new:
            found.append(Change(name, "option", old, new))
    if any(change.argument == "num_ctas" for change in found):
        # Triton up to 3.4 derives one from the other.
        found = [change for change in found if change.argument != "cluster_dims"]
    return tuple(found)


def weight(found: Sequence[Change]) -> int:
    """How far apart two specialisations are."""
    return sum(_weight(change) for change in found)


def _weight(change: Change) -> int:
    # A number that is 1 differs from a wide one in its width and in being 1.
    both = change.kind == "width" and "1" in (change.before, change.after)
    return _WEIGHTS.get(change.kind, _SLIGHT) + both


def _lengths(earlier: KernelCompiled, later: KernelCompiled) -> list[Change]:
    """The tuples that have another number of elements."""
    old, new = _counted(earlier), _counted(later)
    return [
        Change(name, "length", str(old[name]), str(new[name]))
        for name in new
        if name in old and old[name] != new[name]
    ]


def _counted(event: KernelCompiled) -> dict[str, int]:
    found: dict[str, int] = {}
    for argument in event.arguments:
        if element := _ELEMENT.match(argument.name):
            found[element["tuple"]] = found.get(element["tuple"], 0) + 1
    return found


def _change(old: KernelArgument | None, new: KernelArgument) -> Change | None:
    if old is None or old == new:
        return None
    kind = _kind(old, new)
    return Change(new.name, kind, _said(old, kind), _said(new, kind))


def _kind(old: KernelArgument, new: KernelArgument) -> Kind:
    types = {old.type, new.type}
    if types == {"constexpr"}:
        return "constexpr"
    if len(types) == 1:
        return _of_equal_types(new.type, differ=old.divisible != new.divisible)
    if "none" in types:
        return "none"
    if types <= _INTEGERS:
        return "one" if "int" in types and not types & _WIDE else "width"
    if all(name.startswith("*") for name in types):
        return "dtype"
    descriptors = [_DESCRIPTOR.match(name) for name in (old.type, new.type)]
    if descriptors[0] and descriptors[1]:
        return "dtype" if descriptors[0]["dtype"] != descriptors[1]["dtype"] else "block"
    floats = {name for name in types if _FLOAT.match(name)}
    if floats and types - floats <= _INTEGERS:
        return "number" if types - floats else "dtype"
    return "other"


def _of_equal_types(type_: str, *, differ: bool) -> Kind:
    if not differ:
        return "other"
    if type_ in _BOOLS:
        return "bool"
    return "alignment" if type_.startswith("*") else "divisible"


def _said(argument: KernelArgument, kind: Kind) -> str:
    match kind:
        case "one" | "divisible" if argument.type == "int":
            return argument.value
        case "one" | "divisible":
            return "a multiple of 16" if argument.divisible else "not a multiple of 16"
        case "bool":
            return "False" if argument.divisible else "True"
        case "alignment":
            return "aligned to 16 bytes" if argument.divisible else "not aligned"
        case "constexpr":
            return argument.value
        case "block":
            found = _DESCRIPTOR.match(argument.type)
            return f"[{found['block']}]" if found else argument.type
        case "number":
            return "a float" if _FLOAT.match(argument.type) else "an integer"
        case "none":
            return "None" if argument.type == "none" else _given(argument.type)
        case _:
            # `*k` is a pointer to what the kernel only reads.
            return argument.value or re.sub(r"^\*k(?=\w)", "*", argument.type)


def _given(type_: str) -> str:
    return "a tensor" if type_.startswith(("*", "tensordesc")) else "a value"
