"""What an expression can be: the lattice of value kinds that the rules read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

ASSUMED = 1  # nothing declares it a tensor; the way it is used does
SCALAR = 2  # known to have no dimensions
PARAMETER = 4  # a parameter of a module
INPUT = 8  # an argument of the compiled region
VECTOR = 32  # known to have one dimension
DECLARED = 16  # one of several types that an annotation allows
HELD = 64  # a module holds it and no call replaces it: its size stays


class Value(NamedTuple):
    """An abstract value: equal values are interchangeable.

    `data` by kind: "tensor" the dtype's family ("", "bool", "int", "float"); "number" where it
    comes from ("", "shape", "state", "item"); "const" the value itself; "list" its element;
    "tuple" its elements; "dict" its items; "union" its alternatives; "library" and "object" a
    dotted name; "class", "function", "method", "instance", "compiled" what they stand for;
    "string" "tensor" where it shows a tensor and is put together after the graph has run.
    """

    kind: str
    data: Any = None
    note: Any = None


UNKNOWN = Value("unknown")
NONE = Value("const", None, "NoneType")
TRUE = Value("const", True, "bool")
FALSE = Value("const", False, "bool")
TENSOR = Value("tensor", "", 0)
MASK = Value("tensor", "bool", 0)
NUMBER = Value("number", "")
SHAPE_NUMBER = Value("number", "shape")
BOOLEAN = Value("number", "bool")
STRING = Value("string")
SIZE = Value("size")
FIXED_SIZE = Value("size", "fixed")
DTYPE = Value("dtype")
DEVICE = Value("device")
NDARRAY = Value("ndarray")

UNION_LIMIT = 6


def const(value: object) -> Value:
    """A Python constant."""
    return Value("const", value, type(value).__name__)


def tensor(dtype: str = "", flags: int = 0) -> Value:
    """A tensor's data."""
    return Value("tensor", dtype, flags)


def list_of(element: Value, name: str = "list") -> Value:
    """A container of which only the element is known."""
    return Value("list", element, name)


def tuple_of(elements: Iterable[Value], name: str = "tuple") -> Value:
    """A container with known elements."""
    return Value("tuple", tuple(elements), name)


def library(name: str) -> Value:
    """Something outside the linted tree, by its dotted name."""
    return Value("library", name)


def instance_of(name: str) -> Value:
    """An instance of a class outside the linted tree."""
    return Value("object", name)


def alternatives(value: Value) -> tuple[Value, ...]:
    """The values that `value` may be."""
    return tuple(value.data) if value.kind == "union" else (value,)


def widened(value: Value) -> Value:
    """The kind of a constant, without its value."""
    if value.kind != "const" or value.data is None:
        return value
    if isinstance(value.data, bool):
        return BOOLEAN
    if isinstance(value.data, int | float | complex):
        return NUMBER
    return STRING if isinstance(value.data, str | bytes) else UNKNOWN


def join(first: Value, second: Value) -> Value:
    """What may be either."""
    if first == second:
        return first
    kinds = (first.kind, second.kind)
    if "unknown" in kinds:
        return UNKNOWN
    if kinds == ("tensor", "tensor"):
        return _join_tensors(first, second)
    if kinds == ("tuple", "tuple") and len(first.data) == len(second.data):
        return tuple_of(map(join, first.data, second.data), first.note)
    if kinds == ("dict", "dict"):
        return _join_dicts(first, second)
    if set(kinds) <= {"tuple", "list"}:
        return list_of(join_all((element(first), element(second))), first.note)
    if set(kinds) <= {"const", "number", "string"} and NONE not in (first, second):
        return _join_scalars(widened(first), widened(second))
    return _union((*alternatives(first), *alternatives(second)))


def join_all(values: Iterable[Value]) -> Value:
    """What may be any of `values`; unknown where there are none."""
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return UNKNOWN if result is None else result


def element(value: Value) -> Value:
    """What iterating over a container gives."""
    if value.kind == "list":
        found: Value = value.data
        return found
    if value.kind == "tuple":
        return join_all(value.data) if value.data else UNKNOWN
    return UNKNOWN


def _join_dicts(first: Value, second: Value) -> Value:
    """Keys of both stay; those that only one has may be missing."""
    one, two = dict(first.data), dict(second.data)
    both = tuple((key, join(value, two[key])) for key, value in one.items() if key in two)
    rest = [value for key, value in (*one.items(), *two.items()) if (key in one) != (key in two)]
    rest += [note for note in (first.note, second.note) if note is not None]
    return Value("dict", both, join_all(rest) if rest else None)


def _join_tensors(first: Value, second: Value) -> Value:
    dtype = first.data if first.data == second.data else ""
    either = (first.note | second.note) & (ASSUMED | INPUT | DECLARED)
    both = first.note & second.note & (SCALAR | VECTOR | PARAMETER | HELD)
    return tensor(dtype, either | both)


def _join_scalars(first: Value, second: Value) -> Value:
    if first == second:
        return first
    if first.kind == second.kind == "number":
        origins = {first.data, second.data}
        for origin in ("varying", "state", "remainder", "shape", "item", "loop"):
            if origin in origins:
                return Value("number", origin)
        return NUMBER
    return _union((first, second))


def _union(values: tuple[Value, ...]) -> Value:
    found: list[Value] = []
    for value in values:
        if value.kind == "unknown":
            return UNKNOWN
        for index, other in enumerate(found):
            mergeable = other.kind == value.kind and value.kind in ("tensor", "tuple", "list")
            if mergeable or other == value:
                found[index] = join(other, value)
                break
        else:
            found.append(value)
    if len(found) == 1:
        return found[0]
    return Value("union", frozenset(found)) if len(found) <= UNION_LIMIT else UNKNOWN


def has_fixed_size(value: Value) -> bool:
    """Whether a value is a parameter or buffer, whose size is a constant of the graph."""
    return value.kind == "tensor" and bool(value.note & (PARAMETER | HELD))


def size_number(size: Value) -> Value:
    """One number of a size."""
    return NUMBER if size.data == "fixed" else SHAPE_NUMBER


def without(value: Value, drop: Callable[[Value], bool]) -> Value:
    """The alternatives that `drop` leaves; the value itself where it leaves none."""
    kept = [other for other in alternatives(value) if not drop(other)]
    return join_all(kept) if kept else value


def truth(value: Value) -> bool | None:
    """The truth value where the kind decides it."""
    if value.kind == "const":
        return bool(value.data)
    if value.kind in ("function", "class", "library", "dtype", "device", "compiled"):
        return True
    if value.kind == "method":  # what an object of another package has may be any value
        return None if value.data.kind == "object" and value.data.data[:6] != "torch." else True
    if value.kind == "tuple" and value.note == "tuple":
        return bool(value.data)
    return None


def is_tensor(value: Value) -> bool:
    """Whether the value is tensor data whenever it is not None."""
    return any(v.kind == "tensor" for v in alternatives(value)) and all(
        v.kind == "tensor" or v == NONE for v in alternatives(value)
    )


def may_be_tensor(value: Value) -> bool:
    """Whether tensor data is one of the things it can be."""
    return any(v.kind == "tensor" for v in alternatives(value))


def tensor_part(value: Value) -> Value | None:
    """The tensor among the alternatives."""
    return next((v for v in alternatives(value) if v.kind == "tensor"), None)


def text_of(values: Iterable[Value]) -> Value:
    """The text that shows values: one that shows a tensor is only put together after the graph."""
    shown = [v for v in values if contains_tensor(v) or late_text(v) is not None]
    if not shown:
        return STRING
    flags = 0
    for value in shown:
        part = tensor_part(value) or late_text(value)
        flags |= part.note & (ASSUMED | DECLARED) if part is not None else ASSUMED
    return Value("string", "tensor", flags)


def late_text(value: Value) -> Value | None:
    """The text among the alternatives that is only there after the graph has run."""
    return next((v for v in alternatives(value) if v.kind == "string" and v.data == "tensor"), None)


def contains_tensor(value: Value, depth: int = 3) -> bool:
    """Whether a value or something in the container is tensor data."""
    if may_be_tensor(value):
        return True
    if depth == 0:
        return False
    if value.kind == "tuple":
        return any(contains_tensor(v, depth - 1) for v in value.data)
    if value.kind == "list":
        return contains_tensor(value.data, depth - 1)
    if value.kind == "dict":
        return any(contains_tensor(v, depth - 1) for _, v in value.data)
    return False
