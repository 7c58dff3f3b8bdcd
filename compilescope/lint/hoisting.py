"""What a fix moves out of a function to the level of its module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import path_of
from compilescope.lint.index import Function
from compilescope.lint.surroundings import parents

if TYPE_CHECKING:
    from compilescope.lint.rule import Fact


def import_can_move(fact: Fact) -> bool:
    """Whether `try: import name; except: pass` can stand at the top of the file instead.

    The names must be bound nowhere else, and the handlers do no more than bind them to None.
    """
    table, function = parents(fact), fact.site.function
    block = table.get(fact.node)
    if function is None or not isinstance(block, ast.Try) or block.orelse or block.finalbody:
        return False
    if not isinstance(table.get(block), ast.FunctionDef) or len(block.body) != 1:
        return False
    bound = _imported(block.body[0])
    if not bound or bound & fact.site.module.definitions.keys():
        return False
    stores = [
        n.id
        for n in ast.walk(function.node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    ]
    set_here = [_bound_to_none(handler) for handler in block.handlers]
    if any(names is None or not names <= bound for names in set_here):
        return False
    count = sum(len(names) for names in set_here if names is not None)
    return sum(name in bound for name in stores) == count and len(function.node.body) > 1  # type: ignore[arg-type]


def _imported(node: ast.stmt) -> set[str]:
    if not isinstance(node, ast.Import | ast.ImportFrom) or getattr(node, "level", False):
        return set()
    names = {alias.asname or alias.name for alias in node.names}
    return set() if any("." in name or name == "*" for name in names) else names


def _bound_to_none(handler: ast.ExceptHandler) -> set[str] | None:
    names = set()
    for node in handler.body:
        if isinstance(node, ast.Pass):
            continue
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
            return None
        if node.value.value is not None:
            return None
        names |= {path_of(target) for target in node.targets}
    return names


def compile_can_move(fact: Fact) -> bool:
    """Whether `torch.compile(function)` in a function names only what its module defines."""
    call, function = fact.node, fact.site.function
    if function is None or not isinstance(call, ast.Call) or len(call.args) != 1:
        return False
    target = call.args[0]
    if not isinstance(target, ast.Name):
        return False
    defined = fact.site.module.definitions.get(target.id, [])
    if len(defined) != 1 or not isinstance(defined[0], Function):
        return False
    plain = all(k.arg and isinstance(k.value, ast.Constant) for k in call.keywords)
    local = {
        n.id
        for n in ast.walk(function.node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    local |= {n.arg for n in ast.walk(function.node) if isinstance(n, ast.arg)}
    name = f"compiled_{target.id}"
    top = function.owner is None and not function.outer
    return plain and top and target.id not in local and name not in fact.site.module.text
