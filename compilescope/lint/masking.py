"""`x[mask]` written over the whole tensor, where the mask has the shape of what it selects from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import path_of
from compilescope.lint.pointwise import pointwise
from compilescope.lint.surroundings import parents
from compilescope.lint.uses import has_shape_of, is_same

if TYPE_CHECKING:
    import libcst as cst

    from compilescope.lint.edits import Correction
    from compilescope.lint.rule import Fact


def can_cover(fact: Fact) -> bool:
    """Whether `x[mask]` is summed or averaged whole, or `x[mask] = y[mask]` is the statement."""
    read, table = fact.node, parents(fact)
    if not isinstance(read, ast.Subscript) or not isinstance(read.ctx, ast.Load):
        return False
    statement = table.get(read)
    if isinstance(statement, ast.Assign) and statement.value is read:
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Subscript):
            return False
        base = path_of(target.value)
        plain = bool(base) and bool(path_of(read.value)) and is_same(target.slice, read.slice)
        return plain and has_shape_of(fact, target.slice, base)
    base = path_of(read.value)
    if not base or not _is_reduced(read, table) or not has_shape_of(fact, read.slice, base):
        return False
    found = pointwise(fact, read.value)
    return found is not None and found.kind == "tensor"


def _is_reduced(read: ast.Subscript, table: dict[ast.AST, ast.AST]) -> bool:
    method = table.get(read)
    if not isinstance(method, ast.Attribute) or method.attr not in ("sum", "mean"):
        return False
    call = table.get(method)
    return isinstance(call, ast.Call) and call.func is method and not call.args + call.keywords


def cover(correction: Correction) -> None:
    """Make the edit for what `can_cover` found."""
    import libcst as cst

    read = correction.node
    if not isinstance(read, cst.Subscript) or len(read.slice) != 1:
        correction.decline("the mask is not written out")
    part = read.slice[0].slice
    if not isinstance(part, cst.Index):
        correction.decline("the mask is a slice")
    base, mask = correction.text(read.value), correction.text(part.value)
    above = correction.parent(read)
    if isinstance(above, cst.Assign):
        target = above.targets[0].target
        if not isinstance(target, cst.Subscript):
            correction.decline("the target is not a selection")
        into = correction.text(target.value)
        chosen = f"{correction.name('torch.where')}({mask}, {base}, {into})"
        correction.replace(above, f"{into}.copy_({chosen})")
        return
    call = correction.parent(above)
    if not isinstance(above, cst.Attribute) or not isinstance(call, cst.Call):
        correction.decline("the selection is not reduced")
    total = f"{correction.name('torch.where')}({mask}, {base}, 0).sum()"
    if above.attr.value == "mean":
        total = _mean(correction, call, total, correction.text(part.value, operand=True))
    correction.replace(call, total)


def _mean(correction: Correction, call: cst.Call, total: str, mask: str) -> str:
    import libcst as cst

    text = f"{total} / {mask}.sum()"
    loose = (cst.Assign, cst.Return, cst.Arg, cst.AugAssign, cst.Element)
    return text if call.lpar or isinstance(correction.parent(call), loose) else f"({text})"
