"""Choices of which only one side may run: `torch.cond` takes them, `torch.where` does not.

Measured on torch 2.11 and 2.13, with and without gradients: both sides must give one shape, one
dtype and one order of strides, and neither may give an input itself or a view of it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import path_of
from compilescope.lint.pointwise import pointwise
from compilescope.lint.values import is_tensor

if TYPE_CHECKING:
    from compilescope.lint.pointwise import Pointwise
    from compilescope.lint.rule import Fact

# Methods that raise on integers: who calls one of them on a tensor has floats.
_OF_FLOATS = frozenset("mean std var norm softmax log_softmax".split())


def may_run_apart(fact: Fact, first: ast.expr, second: ast.expr) -> bool:
    """Whether `torch.cond` can choose between two expressions that give tensors."""
    one, two = pointwise(fact, first, apart=True), pointwise(fact, second, apart=True)
    if one is None or two is None or not one.kind == two.kind == "tensor":
        return False
    if one.sources != two.sources or len(one.sources) > 1:
        return False
    paths = _tensors(fact, first) | _tensors(fact, second)
    if not one.sources and len(paths) != 1:
        return False  # numbers of several tensors may have several dtypes
    return _all_float(fact, one, two, paths)


def _tensors(fact: Fact, node: ast.expr) -> set[str]:
    """The paths of the tensors that an expression reads."""
    found = set()
    for part in ast.walk(node):
        path = path_of(part) if isinstance(part, ast.Name | ast.Attribute) else ""
        if path and is_tensor(fact.value_of(part)):  # type: ignore[arg-type]
            found.add(path)
    return found


def _all_float(fact: Fact, one: Pointwise, two: Pointwise, paths: set[str]) -> bool:
    """Whether both sides have the dtype of what they read: that it is floats has to be shown."""
    if one.floats and two.floats and not one.sources:
        return True
    return all(_is_float(fact, path) for path in one.sources or paths)


def _is_float(fact: Fact, path: str) -> bool:
    if fact.value_of(ast.parse(path, mode="eval").body).data == "float":
        return True
    function = fact.site.function
    return function is not None and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _OF_FLOATS
        and path_of(node.func.value) == path
        for node in ast.walk(function.node)
    )
