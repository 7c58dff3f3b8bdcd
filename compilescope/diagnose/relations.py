"""Relations over sizes, strides and numbers, evaluated for what a call brought."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from compilescope.diagnose.explain_words import as_written
from compilescope.model import Input

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


class _Names(NamedTuple):
    tensors: Mapping[str, Input]
    constants: Mapping[str, str]


def holds(
    tree: ast.expr, tensors: Mapping[str, Input], constants: Mapping[str, str]
) -> bool | None:
    """Whether the relation holds for the call; None where it has a name that is not known."""
    try:
        return bool(_value(tree, _Names(tensors, constants)))
    except (SyntaxError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return None


def _value(node: ast.expr, call: _Names) -> Any:
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
            tensor = call.tensors[as_written(ast.unparse(owner))]
            return ((tensor.shape if what == "size" else tensor.stride) or ())[index]
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return ast.literal_eval(call.constants[as_written(ast.unparse(node))])
        case _:
            raise ValueError(ast.dump(node))
