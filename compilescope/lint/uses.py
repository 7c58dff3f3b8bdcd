"""How a function uses a value: what a fix must know before it changes the value's kind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import path_of
from compilescope.lint.pointwise import pointwise
from compilescope.lint.surroundings import parents
from compilescope.lint.values import SCALAR, Value, is_tensor, tensor_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.lint.rule import Fact
    from compilescope.lint.versions import Versions

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)


def has_no_dimensions(value: Value) -> bool:
    """Whether a value is a tensor that stands for one number."""
    part = tensor_part(value)
    return part is not None and is_tensor(value) and bool(part.note & SCALAR)


def meets_tensors(fact: Fact) -> bool:
    """Whether the number that the fact's expression gives is only ever combined with tensors.

    A tensor without dimensions then does the same: it changes neither shape nor dtype of what it
    is combined with.
    """
    return isinstance(fact.node, ast.expr) and _meets(fact, fact.node, parents(fact), True)


def _meets(fact: Fact, node: ast.expr, table: dict[ast.AST, ast.AST], follow: bool) -> bool:
    above = table.get(node)
    if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.USub):
        return _meets(fact, above, table, follow)
    if isinstance(above, ast.BinOp) and isinstance(above.op, _ARITHMETIC):
        other = above.right if above.left is node else above.left
        value = fact.value_of(other) if is_plain(other) else None
        if value is None:
            return False
        if is_tensor(value):
            return not has_no_dimensions(value)
        return value.kind in ("const", "number") and _meets(fact, above, table, follow)
    if isinstance(above, ast.AugAssign) and isinstance(above.op, _ARITHMETIC):
        return above.value is node and is_tensor(fact.value_of(above.target))
    if isinstance(above, ast.Assign) and follow and len(above.targets) == 1:
        target = above.targets[0]
        if not isinstance(target, ast.Name) or sole_definition(fact, target.id) is None:
            return False
        loads = [n for n in names(fact, target.id) if isinstance(n.ctx, ast.Load)]
        return bool(loads) and all(_meets(fact, load, table, False) for load in loads)
    return False


def is_plain(node: ast.expr) -> bool:
    """Whether looking at an expression again means the same: no call of code of the tree."""
    allowed = (ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Load)
    return all(isinstance(n, (*allowed, ast.operator, ast.unaryop)) for n in ast.walk(node))


def names(fact: Fact, name: str) -> Iterator[ast.Name]:
    """Each mention of a name in the function around a fact."""
    function = fact.site.function
    if function is not None:
        for node in ast.walk(function.node):
            if isinstance(node, ast.Name) and node.id == name:
                yield node


def sole_definition(fact: Fact, name: str) -> ast.expr | None:
    """The expression that a local name is bound to, where that happens once and plainly."""
    function = fact.site.function
    if function is None or name in {
        a.arg for a in ast.walk(function.node) if isinstance(a, ast.arg)
    }:
        return None
    stores = [n for n in names(fact, name) if not isinstance(n.ctx, ast.Load)]
    table = parents(fact)
    above = table.get(stores[0]) if len(stores) == 1 else None
    if not isinstance(above, ast.Assign) or above.targets != stores:
        return None
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    nested = (n for n in ast.walk(function.node) if isinstance(n, inner) and n is not function.node)
    if any(isinstance(n, ast.Name) and n.id == name for f in nested for n in ast.walk(f)):
        return None
    return above.value


def has_shape_of(fact: Fact, mask: ast.expr, path: str) -> bool:
    """Whether a mask is computed element by element from the tensor at `path` alone."""
    if isinstance(mask, ast.Name):
        definition = sole_definition(fact, mask.id)
        if definition is None:
            return False
        mask = definition
    root = path.partition(".")[0]
    if any(not isinstance(n.ctx, ast.Load) for n in names(fact, root)):
        return False  # another tensor of that name may have another shape
    found = pointwise(fact, mask)
    return found is not None and found.kind == "bool" and found.sources == {path}


def is_same(first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions are written alike."""
    return ast.dump(first) == ast.dump(second) and bool(path_of(first) or is_plain_test(first))


def is_plain_test(node: ast.expr) -> bool:
    """Whether an expression compares names and numbers."""
    allowed = (ast.Name, ast.Attribute, ast.Compare, ast.UnaryOp, ast.Constant, ast.BinOp)
    kinds = (*allowed, ast.Load, ast.cmpop, ast.unaryop, ast.operator)
    return all(isinstance(n, kinds) for n in ast.walk(node))


def is_only_checked(fact: Fact, target: Versions) -> bool:
    """Whether the branches on a captured number only raise: `checking.py` writes checks then.

    Before torch 2.13 inductor drops a check of a float.
    """
    if not fact.site.fullgraph or target[0] < (2, 13):
        return False
    from compilescope.lint.checking import only_guards

    return only_guards(fact)
