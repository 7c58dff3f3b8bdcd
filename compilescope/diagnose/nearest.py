"""Which cached graph came closest to serving a call, and everything that kept it from doing so.

PyTorch prints the first failing guard of each cache entry. The guards of the entry and the inputs
of the call are in the session, so the guards over tensors, sizes and constants are evaluated again
here, and the entry with the fewest failures is the nearest.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from compilescope.logs.guards import parse_reason
from compilescope.model import Compiled, GuardFailure, Input

_LOCAL = re.compile(r"\bL\['(\w+)'\]")
_CHECK_TENSOR = re.compile(
    r"check_tensor\((?P<source>.+), (?:\w+\.)*\w+, DispatchKeySet\([^)]*\), (?P<dtype>torch\.\w+), "
    r"device=(?P<device>[^,]+), requires_grad=(?P<grad>\w+), "
    r"size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)
_EQUALS = re.compile(r"^(?P<source>[^=<>!]+?) == (?P<value>.+)$")

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


@dataclass(frozen=True)
class Difference:
    """One guard of a cache entry that a call does not meet."""

    source: str  # as the guard writes it; "" for a relation
    aspect: str  # "size 0", "stride 1", "rank", "dtype", "requires_grad", "value", "guard"
    required: str
    observed: str

    def failure(self, entry: str) -> GuardFailure:
        """The failure as PyTorch would have printed it, had no other guard failed first."""
        aspect, _, index = self.aspect.partition(" ")
        expected = f"expected {self.required}, actual {self.observed}"
        if aspect == "guard":
            text = self.required
        elif aspect == "value":
            text = f"{self.source} == {self.required}"
        elif index:
            text = f"tensor '{self.source}' {aspect} mismatch at index {index}. {expected}"
        elif aspect == "requires_grad":
            flag = int(self.required == "True")
            text = f"tensor '{self.source}' requires_grad mismatch. expected requires_grad={flag}"
        else:
            text = f"tensor '{self.source}' {aspect} mismatch. {expected}"
        found = parse_reason(text)
        return replace(found, entry=entry, observed=self.observed or found.observed)


def differences(entry: Compiled, call: Inputs) -> list[Difference]:
    """Every guard of `entry` that can be evaluated and that `call` fails, in guard order."""
    found: list[Difference] = []
    for guard in entry.guards:
        text = _LOCAL.sub(r"\1", _without_type(guard))
        match = _CHECK_TENSOR.search(text)
        if match:
            found.extend(_tensor(match, call))
        elif (difference := _expression(text, call)) is not None:
            found.append(difference)
    return list(dict.fromkeys(found))


class Inputs:
    """The values that a call brought, by source."""

    def __init__(self, inputs: Iterable[Input], constants: Mapping[str, str] | None = None) -> None:
        self.tensors = {item.source: item for item in inputs if item.shape is not None}
        self.constants = dict(constants or {})
        self.constants |= {item.source: item.value for item in inputs if item.value}

    def __bool__(self) -> bool:
        return bool(self.tensors or self.constants)


def constants_of(compiled: Compiled) -> dict[str, str]:
    """The plain values that `compiled` was specialised for, by source, from its guards."""
    constants: dict[str, str] = {}
    for guard in compiled.guards:
        text = _LOCAL.sub(r"\1", _without_type(guard))
        match = _EQUALS.match(text)
        if match and ".size()" not in text and ".stride()" not in text:
            constants[match["source"].strip()] = match["value"].strip()
    return constants


def size_of(source: str, dimension: int | None, call: Inputs) -> str:
    """The size of that dimension in the call, "" where it is not known."""
    tensor = call.tensors.get(source)
    if tensor is None or tensor.shape is None or dimension is None:
        return ""
    return str(tensor.shape[dimension]) if dimension < len(tensor.shape) else ""


def _without_type(guard: str) -> str:
    kind, colon, text = guard.partition(": ")
    body = text if colon and re.fullmatch(r"[A-Z_]+", kind) else guard
    return re.split(r"\s+# ", body, maxsplit=1)[0].strip()


def _tensor(match: re.Match[str], call: Inputs) -> list[Difference]:
    source = match["source"]
    tensor = call.tensors.get(source)
    if tensor is None:
        return []
    found = []
    if tensor.dtype and tensor.dtype != match["dtype"]:
        found.append(Difference(source, "dtype", match["dtype"], tensor.dtype))
    if str(tensor.requires_grad) != match["grad"]:
        found.append(Difference(source, "requires_grad", match["grad"], str(tensor.requires_grad)))
    sizes = _numbers(match["size"])
    if tensor.shape is not None and len(sizes) != len(tensor.shape):
        found.append(Difference(source, "rank", str(len(sizes)), str(len(tensor.shape))))
        return found
    found.extend(_each(source, "size", sizes, tensor.shape))
    found.extend(_each(source, "stride", _numbers(match["stride"]), tensor.stride))
    return found


def _each(
    source: str, aspect: str, required: list[str], observed: tuple[int, ...] | None
) -> list[Difference]:
    if observed is None or len(required) != len(observed):
        return []
    return [
        Difference(source, f"{aspect} {index}", want, str(have))
        for index, (want, have) in enumerate(zip(required, observed, strict=True))
        if want.isdigit() and want != str(have)
    ]


def _numbers(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text.strip() else []


def _expression(text: str, call: Inputs) -> Difference | None:
    equals = _EQUALS.match(text)
    if equals and ".size()" not in text and ".stride()" not in text:
        source, required = equals["source"].strip(), equals["value"].strip()
        observed = call.constants.get(source, "")
        if observed and observed != required:
            return Difference(source, "value", required, observed)
        return None
    if ".size()" not in text and ".stride()" not in text:
        return None
    if _evaluate(text, call) is False:
        return Difference("", "guard", text, "")
    return None


def _evaluate(text: str, call: Inputs) -> bool | None:
    """Whether the guard holds for the call; None where it has a name that is not known."""
    try:
        value = _value(ast.parse(text, mode="eval").body, call)
    except (SyntaxError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return None
    return bool(value)


def _value(node: ast.expr, call: Inputs) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, call), _value(right, call))
        case ast.UnaryOp(op=op, operand=operand):
            return _OPERATORS[type(op)](_value(operand, call))
        case ast.BoolOp(op=op, values=values):
            joined = all if isinstance(op, ast.And) else any
            return joined([_value(value, call) for value in values])
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            values = [_value(item, call) for item in (left, *comparators)]
            pairs = zip(ops, values, values[1:], strict=False)
            return all(_OPERATORS[type(op)](one, other) for op, one, other in pairs)
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=args):
            return (max if name == "max" else min)(_value(item, call) for item in args)
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(value=owner, attr="size" | "stride" as what)),
            slice=ast.Constant(value=int(index)),
        ):
            tensor = call.tensors[ast.unparse(owner)]
            return ((tensor.shape if what == "size" else tensor.stride) or ())[index]
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return ast.literal_eval(call.constants[ast.unparse(node)])
        case _:
            raise ValueError(ast.dump(node))
