"""What `value[index]` gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.values import (
    ASSUMED,
    DECLARED,
    NDARRAY,
    NONE,
    SCALAR,
    STRING,
    UNKNOWN,
    VECTOR,
    Value,
    alternatives,
    element,
    join,
    join_all,
    list_of,
    size_number,
    tensor,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame
    from compilescope.lint.machine import Machine


def subscript(machine: Machine, frame: Frame, base: Value, index: Value, node: ast.AST) -> Value:
    """The kind of an item or slice."""
    machine.emit("index", node, frame, value=base, other=index)
    found = [item(v, index) for v in alternatives(base) if v != NONE]
    known = [v for v in found if v.kind != "unknown"]
    if not known:
        mask = index.kind == "tensor" and index.data == "bool"
        return tensor("", ASSUMED) if mask and base.kind == "unknown" else UNKNOWN
    result = join_all(known)
    if len(known) < len(found) and result.kind == "tensor":
        return tensor(result.data, result.note | ASSUMED)
    return result


def item(base: Value, index: Value) -> Value:
    """The kind of an item of one alternative."""
    if base.kind == "tensor":
        return tensor(base.data, base.note & (ASSUMED | DECLARED) | _rank(base, index))
    if base.kind in ("tuple", "list"):
        return _of_sequence(base, index)
    if base.kind == "size":
        number = size_number(base)
        return list_of(number, "tuple") if index.kind == "slice" else number
    if base.kind == "dict":
        return _of_dict(base, index)
    if base.kind == "ndarray":
        return NDARRAY
    if base.kind == "string":
        return STRING
    if base.kind == "object" and base.note is not None:
        inner: Value = base.note
        return base if index.kind == "slice" else _of_sequence(inner, index)
    return UNKNOWN


def _rank(base: Value, index: Value) -> int:
    if not base.note & VECTOR:
        return 0
    if index.kind == "slice" or (index.kind == "tensor" and index.note & VECTOR):
        return VECTOR
    return SCALAR if _is_one_place(index) else 0


def _is_one_place(index: Value) -> bool:
    """An integer, as a number or as a 0-d tensor: a bool adds a dimension, as None does."""
    if index.kind == "const":
        return type(index.data) is int
    if index.kind == "number":
        return index.data not in ("bool", "mode")
    return index.kind == "tensor" and bool(index.note & SCALAR) and index.data == "int"


def _of_sequence(base: Value, index: Value) -> Value:
    if index.kind == "slice":
        bounds = [b.data if b.kind == "const" else ... for b in index.data]
        if base.kind == "tuple" and all(type(b) is int or b is None for b in bounds):
            return tuple_of(base.data[slice(*bounds)], base.note)
        return list_of(element(base), base.note)
    if base.kind == "tuple" and index.kind == "const" and type(index.data) is int:
        if -len(base.data) <= index.data < len(base.data):
            found: Value = base.data[index.data]
            return found
        return UNKNOWN
    if base.kind == "dict":
        return _of_dict(base, index)
    return element(base)


def _of_dict(base: Value, index: Value) -> Value:
    if index.kind == "const":
        for name, value in base.data:
            if name == index.data:
                return value if base.note is None else join(value, value)
        return base.note if base.note is not None else UNKNOWN
    values = [value for _, value in base.data]
    if base.note is not None:
        values.append(base.note)
    return join_all(values) if values else UNKNOWN
