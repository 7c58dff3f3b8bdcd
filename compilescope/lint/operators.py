"""What operators and comparisons give, by the kinds of their operands."""

from __future__ import annotations

import ast

from compilescope.lint.values import (
    ASSUMED,
    BOOLEAN,
    DECLARED,
    FALSE,
    NDARRAY,
    NONE,
    SCALAR,
    SHAPE_NUMBER,
    STRING,
    TRUE,
    UNKNOWN,
    VECTOR,
    Value,
    alternatives,
    const,
    contains_tensor,
    element,
    join_all,
    list_of,
    may_be_tensor,
    size_number,
    tensor,
    tensor_part,
    tuple_of,
    widened,
)


def iterated(value: Value) -> Value:
    """What iterating over a value gives, whatever it is."""
    found = [_iterated(v) for v in alternatives(value) if v != NONE]
    return join_all(found) if found else UNKNOWN


def _iterated(value: Value) -> Value:
    if value.kind == "list" and value.note == "range" and value.data == SHAPE_NUMBER:
        return Value("number", "loop")  # the loop is unrolled: its variable is a constant
    if value.kind in ("list", "tuple"):
        return element(value)
    if value.kind == "tensor":
        rank = SCALAR if value.note & VECTOR else 0
        return tensor(value.data, value.note & (ASSUMED | DECLARED) | rank)
    if value.kind == "ndarray":
        return NDARRAY
    if value.kind == "size":
        return size_number(value)
    if value.kind == "string" or (value.kind == "const" and isinstance(value.data, str)):
        return STRING
    if value.kind == "dict":
        return join_all(const(k) for k, _ in value.data) if value.data else UNKNOWN
    if value.kind == "object" and value.note is not None:
        inner: Value = value.note
        return STRING if value.data.endswith("Dict") else element(inner)
    return UNKNOWN


def binary(left: Value, right: Value, operator: ast.operator) -> Value:
    """What an arithmetic operator gives."""
    if may_be_tensor(left) or may_be_tensor(right):
        return _tensor_binary(left, right, operator)
    if left.kind == "ndarray" or right.kind == "ndarray":
        return NDARRAY
    if left.kind in ("tuple", "list") or right.kind in ("tuple", "list"):
        return _container_binary(left, right, operator)
    if left.kind == "size" and right.kind in ("size", "tuple", "list"):
        return list_of(SHAPE_NUMBER, "tuple")
    if _decides(left, operator) and right.kind in ("unknown", "number", "const"):
        return left
    text = (left.kind == "string", isinstance(left.data, str) and left.kind == "const")
    if any(text):
        return STRING
    return _number_binary(left, right, operator)


def _decides(left: Value, operator: ast.operator) -> bool:
    """Whether the left side of `|` or `&` is a truth value that the right side cannot change."""
    if left.kind != "const" or type(left.data) is not bool:
        return False
    return isinstance(operator, ast.BitOr if left.data else ast.BitAnd)


def _tensor_binary(left: Value, right: Value, operator: ast.operator) -> Value:
    sides = [tensor_part(left), tensor_part(right)]
    known = [s for s in sides if s is not None]
    flags = 0
    for side in known:
        flags |= side.note & (ASSUMED | DECLARED)
    if len(known) == 1:
        other = right if sides[0] is not None else left
        if other.kind in ("unknown", "instance", "list", "tuple"):
            flags |= ASSUMED
    if any(mixed(v) for v in (left, right)):
        flags |= DECLARED
    ranks = [s.note & (SCALAR | VECTOR) for s in known]
    plain = len(known) == 2 or other.kind in ("const", "number")
    if plain and all(r == ranks[0] for r in ranks):
        flags |= ranks[0]
    logical = isinstance(operator, ast.BitAnd | ast.BitOr | ast.BitXor)
    families = {s.data for s in known}
    if logical:
        dtype = "bool" if families == {"bool"} else "int" if families == {"int"} else ""
        if "bool" in families and len(known) == 1 and other in (BOOLEAN, TRUE, FALSE):
            dtype = "bool"
    elif isinstance(operator, ast.Div) or "float" in families:
        dtype = "float"
    else:
        dtype = "int" if families <= {"int", "bool"} and len(known) == 2 else ""
        if not dtype and len(known) == 1 and families == {"int"} and _is_int(other):
            dtype = "int"
    return tensor(dtype, flags)


def mixed(value: Value) -> bool:
    """Whether a value is a tensor on one path and something else on another."""
    if value.kind != "union":
        return False
    return any(v.kind != "tensor" and v != NONE for v in alternatives(value))


def _is_int(value: Value) -> bool:
    return (value.kind == "const" and type(value.data) is int) or value == SHAPE_NUMBER


def _container_binary(left: Value, right: Value, operator: ast.operator) -> Value:
    if isinstance(operator, ast.Add) and left.kind == right.kind == "tuple":
        return tuple_of((*left.data, *right.data), left.note)
    if isinstance(operator, ast.Mult):
        side = left if left.kind in ("tuple", "list") else right
        return list_of(element(side), side.note)
    if isinstance(operator, ast.Add) and "unknown" not in (left.kind, right.kind):
        sides = [v for v in (left, right) if v.kind != "tuple" or v.data]
        return list_of(join_all(iterated(v) for v in sides), left.note)
    return UNKNOWN


def _number_binary(left: Value, right: Value, operator: ast.operator) -> Value:
    if left.kind == "const" == right.kind and type(left.data) is type(right.data) is int:
        folded = _fold(left.data, right.data, operator)
        if folded is not None:
            return const(folded)
    numbers = [widened(v) for v in (left, right)]
    if all(n.kind == "number" for n in numbers):
        origins = {n.data for n in numbers}
        if isinstance(operator, ast.Mod) and numbers[0].data in ("shape", "remainder"):
            return Value("number", "remainder")
        return Value("number", origin_of(origins - {"drawn"}))  # the graph ends there
    return UNKNOWN


def origin_of(origins: set[str]) -> str:
    """Where a number comes from that is made of several."""
    order = ("varying", "state", "remainder", "shape", "item", "random", "drawn", "loop")
    return next((origin for origin in order if origin in origins), "")


def _fold(left: int, right: int, operator: ast.operator) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    return None


def compare(left: Value, right: Value, operator: ast.cmpop) -> Value:
    """What a comparison gives."""
    if isinstance(operator, ast.Is | ast.IsNot):
        same = _identical(left, right)
        return BOOLEAN if same is None else const(same == isinstance(operator, ast.Is))
    if isinstance(operator, ast.In | ast.NotIn):
        return _membership(left, right, operator)
    sides = [tensor_part(left), tensor_part(right)]
    if any(s is not None for s in sides):
        other = right if sides[0] is not None else left
        if NONE in (left, right) or (other.kind in ("string", "class")):
            return BOOLEAN
        flags = 0
        for side in sides:
            flags |= side.note & (ASSUMED | DECLARED) if side is not None else 0
        if None in sides and other.kind in ("unknown", "instance", "object"):
            flags |= ASSUMED
        mixed = any(
            v.kind != "tensor" and v != NONE
            for side, value in zip(sides, (left, right), strict=True)
            if side is not None
            for v in alternatives(value)
        )
        ranks = [s.note & (SCALAR | VECTOR) for s in sides if s is not None]
        if (len(ranks) == 2 or other.kind in ("const", "number")) and len(set(ranks)) == 1:
            flags |= ranks[0]
        return tensor("bool", flags | (DECLARED if mixed else 0))
    if "ndarray" in (left.kind, right.kind):
        return NDARRAY
    if left.kind == right.kind == "const" and isinstance(operator, ast.Eq | ast.NotEq):
        return const((left.data == right.data) == isinstance(operator, ast.Eq))
    return _number_compare(left, right)


def _number_compare(left: Value, right: Value) -> Value:
    origin = origin_of({v.data for v in (left, right) if v.kind == "number"})
    return Value("number", origin) if origin not in ("", "item", "loop") else BOOLEAN


def _identical(left: Value, right: Value) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if other == NONE:
            kinds = alternatives(one)
            if all(v == NONE for v in kinds):
                return True
            if all(v.kind not in ("unknown", "opaque") and v != NONE for v in kinds):
                return False
    if left.kind == right.kind == "const" and {type(left.data), type(right.data)} <= {bool}:
        return bool(left.data == right.data)
    return None


def _membership(left: Value, right: Value, operator: ast.cmpop) -> Value:
    written = right.kind == "tuple" and all(v.kind == "const" for v in right.data)
    if left.kind == "const" and written:
        return const((left in right.data) == isinstance(operator, ast.In))
    part = tensor_part(left)
    if part is not None and right.kind in ("list", "tuple") and not contains_tensor(right):
        return tensor("bool", part.note & (ASSUMED | DECLARED))
    return BOOLEAN
