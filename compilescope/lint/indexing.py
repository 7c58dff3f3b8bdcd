"""`x[i]` by one number that is tensor data: written as a selection, it stays in the graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import compilescope.lint.surroundings as around
from compilescope.lint.expressions import path_of
from compilescope.lint.uses import sole_definition
from compilescope.lint.values import Value, is_tensor

if TYPE_CHECKING:
    import libcst as cst

    from compilescope.lint.edits import Correction
    from compilescope.lint.rule import Fact


def is_only_index(fact: Fact, index: Value) -> bool:
    """Whether a fact is about reading `x[i]` for an integer tensor `i`."""
    node = fact.node
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    whole = not isinstance(node.slice, ast.Tuple | ast.Slice)
    return whole and index.data == "int" and not _is_made(fact, node.slice)


def is_picked(fact: Fact) -> bool:
    """Whether an `i.item()` is the whole index of a tensor: `x[i.item()]`."""
    above = around.parents(fact).get(fact.node)
    if not isinstance(above, ast.Subscript) or above.slice is not fact.node:
        return False
    read = isinstance(above.ctx, ast.Load) and fact.value.data == "int"
    return read and is_tensor(fact.value_of(above.value)) and not _is_made(fact, above.slice)


def _is_made(fact: Fact, index: ast.expr) -> bool:
    """Whether an index is made anew: on the CPU by default, where `index_select` may refuse it."""
    if isinstance(index, ast.Name):
        index = sole_definition(fact, index.id) or index
    return any(
        isinstance(n, ast.Call) and path_of(n.func).rpartition(".")[2] in _FACTORIES
        for n in ast.walk(index)
    )


_FACTORIES = frozenset(
    "rand randint randn randperm arange tensor as_tensor zeros ones full".split()
)


def pick(correction: Correction, call: cst.Call, index: cst.BaseExpression) -> bool:
    """Rewrite `x[i.item()]`; whether the call stood there."""
    import libcst as cst

    above = correction.enclosing(correction.parent(call), cst.Subscript, cst.BaseStatement)
    if not isinstance(above, cst.Subscript) or len(above.slice) != 1:
        return False
    part = above.slice[0].slice
    if not isinstance(part, cst.Index) or part.value is not call:
        return False
    _select(correction, above, index)
    return True


def select(correction: Correction, whole: cst.Subscript) -> None:
    """Rewrite `x[i]`."""
    import libcst as cst

    part = whole.slice[0].slice if len(whole.slice) == 1 else None
    if not isinstance(part, cst.Index):
        correction.decline("the index has several parts")
    _select(correction, whole, part.value)


def _select(correction: Correction, whole: cst.Subscript, index: cst.BaseExpression) -> None:
    base = correction.text(whole.value, operand=True)
    number = correction.text(index, operand=True)
    correction.replace(whole, f"{base}.index_select(0, {number}.reshape(1)).squeeze(0)")
