"""Expressions that a fix may evaluate on both sides of a choice, or behind `torch.cond`.

They compute element by element and change nothing. For `torch.where` they also cannot fail where
the other side does not and have finite gradients: it gives the same values, and the side that it
does not choose leaves no trace. With `apart` those count, too, of which only one side may run.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from compilescope.lint.expressions import path_of
from compilescope.lint.values import SCALAR, is_tensor, tensor_part

if TYPE_CHECKING:
    from compilescope.lint.rule import Fact

# No `exp`, `log`, `sqrt`: where their gradient is infinite, the unchosen side gives 0 * inf = nan.
_FUNCTIONS = frozenset(
    """
    abs absolute neg negative positive relu relu6 sigmoid tanh sin cos clamp clamp_min clamp_max
    clip floor ceil round trunc sign square gelu silu softplus leaky_relu elu hardtanh hardsigmoid
    hardswish logsigmoid zeros_like ones_like clone detach float half double bfloat16 contiguous
    maximum minimum where masked_fill nan_to_num add sub mul lerp logical_not logical_and
    logical_or isnan isinf isfinite eq ne lt le gt ge
    """.split()
)
# Infinite or undefined somewhere, or so in their gradient: one side alone may run.
APART = frozenset(
    """
    exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal tan asin acos atan sinh cosh asinh
    acosh atanh erf norm std var
    """.split()
)
# What may give its input itself, another dtype or no gradient: not for one side of `torch.cond`.
_NOT_APART = frozenset("detach contiguous float half double bfloat16".split())
_BOOLEAN = frozenset(
    """
    logical_not logical_and logical_or isnan isinf isfinite eq ne lt le gt ge
    """.split()
)
_KEYWORDS = frozenset("min max approximate negative_slope alpha nan posinf neginf other".split())
_MODULES = ("torch.", "torch.nn.functional.")


class Pointwise(NamedTuple):
    """What is known of the value of such an expression."""

    sources: frozenset[str] = frozenset()  # the tensors that decide its shape; none: no dimensions
    kind: str = "number"  # "number", "float-number", "tensor", "bool" (a tensor)
    floats: bool = False  # it gives floats even of integers


def pointwise(fact: Fact, node: ast.expr, *, apart: bool = False) -> Pointwise | None:
    """The expression as computed element by element; None where that is not shown."""
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.Name | ast.Attribute):
        return _stored(fact, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        return pointwise(fact, node.operand, apart=apart)
    if isinstance(node, ast.BinOp):
        return _operator(fact, node, apart)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        both = _together(fact, [node.left, node.comparators[0]], apart)
        simple = isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq)
        return both._replace(kind="bool") if both and simple and both.kind != "number" else None
    if isinstance(node, ast.Call):
        return _call(fact, node, apart)
    return None


def is_flag(fact: Fact, node: ast.expr) -> bool:
    """Whether an expression is a bool tensor without dimensions, and computing it changes nothing.

    Both sides of `and` may then be computed.
    """
    value = fact.value_of(node) if reads_only(node) else None
    part = tensor_part(value) if value is not None and is_tensor(value) else None
    return part is not None and bool(part.note & SCALAR) and part.data == "bool"


def reads_only(node: ast.expr) -> bool:
    """Whether an expression only computes: calls of methods and functions of torch by name."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.Lambda):
            return False
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            if name not in _FUNCTIONS | _REDUCTIONS:
                return False
    return True


_REDUCTIONS = frozenset(
    "all any sum mean max min amax amin std var norm prod median numel dim size float".split()
)


def _constant(value: object) -> Pointwise | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Pointwise(kind="float-number", floats=True) if type(value) is float else Pointwise()


def _stored(fact: Fact, node: ast.Name | ast.Attribute) -> Pointwise | None:
    path = path_of(node)
    value = fact.value_of(node) if path else None
    if value is None:
        return None
    if value.kind == "const":
        return _constant(value.data)
    if value.kind == "number" and value.data in ("", "shape"):
        return Pointwise()
    if value.kind != "tensor":
        return None
    sources = frozenset[str]() if value.note & SCALAR else frozenset({path})
    kind = "bool" if value.data == "bool" else "tensor"
    return Pointwise(sources, kind, value.data == "float")


def _operator(fact: Fact, node: ast.BinOp, apart: bool) -> Pointwise | None:
    both = _together(fact, [node.left, node.right], apart)
    if both is None:
        return None
    if isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        return both._replace(kind="tensor") if both.kind == "bool" else both
    if isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return both
    right = node.right
    if apart and isinstance(node.op, ast.Div):
        return both._replace(floats=True)
    if isinstance(right, ast.Constant) and isinstance(right.value, int | float) and right.value:
        if isinstance(node.op, ast.Div):
            return both._replace(floats=True)
        if isinstance(node.op, ast.Pow) and type(right.value) is int and right.value > 0:
            return both
    return None


def _call(fact: Fact, node: ast.Call, apart: bool) -> Pointwise | None:
    callee = fact.value_of(node.func)
    if callee.kind == "method" and isinstance(node.func, ast.Attribute) and is_tensor(callee.data):
        name, operands = node.func.attr, [node.func.value, *node.args]
    elif callee.kind == "library" and str(callee.data).rpartition(".")[0] + "." in _MODULES:
        name, operands = str(callee.data).rpartition(".")[2], list(node.args)
    else:
        return None
    if apart and name in _NOT_APART:
        return None
    if apart and name in APART - _MEASURES and len(operands) == 1 and not node.keywords:
        found = pointwise(fact, operands[0], apart=True)
        return found._replace(kind="tensor", floats=True) if found is not None else None
    if name not in _FUNCTIONS or not operands:
        return _without_dimensions(fact, node, apart)
    if any(keyword.arg not in _KEYWORDS for keyword in node.keywords):
        return None
    both = _together(fact, [*operands, *(keyword.value for keyword in node.keywords)], apart)
    if both is None:
        return None
    return both._replace(kind="bool" if name in _BOOLEAN else "tensor")


_MEASURES = frozenset(("norm", "std", "var"))


def _without_dimensions(fact: Fact, node: ast.Call, apart: bool) -> Pointwise | None:
    """A reduction to one number: its gradient is finite but for `std` and `norm`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    allowed = {"all", "any", "sum", "mean", "max", "min"} | (_MEASURES if apart else set())
    if name not in allowed or not reads_only(node):
        return None
    value = fact.value_of(node)
    if value.kind != "tensor" or not value.note & SCALAR:
        return None
    floats = value.data == "float" or name in _MEASURES
    return Pointwise(frozenset(), "bool" if value.data == "bool" else "tensor", floats)


def _together(fact: Fact, nodes: list[ast.expr], apart: bool) -> Pointwise | None:
    """Several operands of one operation."""
    found: list[Pointwise] = []
    for node in nodes:
        part = pointwise(fact, node, apart=apart)
        if part is None:
            return None
        found.append(part)
    kinds = {part.kind for part in found}
    kind = "number"
    for one in ("float-number", "bool", "tensor"):
        if one in kinds:
            kind = one
    sources = frozenset[str]().union(*(part.sources for part in found))
    return Pointwise(sources, kind, any(part.floats for part in found))
