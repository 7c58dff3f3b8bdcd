"""A Python number that a module counts with, kept as a buffer instead."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import path_of
from compilescope.lint.surroundings import parents
from compilescope.lint.uses import is_plain
from compilescope.lint.values import is_tensor

if TYPE_CHECKING:
    import libcst as cst

    from compilescope.lint.edits import Correction
    from compilescope.lint.rule import Fact


def can_be_buffer(fact: Fact) -> bool:
    """Whether a counter of a module starts in `__init__` and is only combined with tensors.

    Nothing else in the class may mention it: there a number could be needed.
    """
    statement, function = fact.node, fact.site.function
    if function is None or function.owner is None or not isinstance(statement, ast.AugAssign):
        return False
    owner = function.owner.node
    if not is_module(owner):
        return False
    path = path_of(statement.target)
    this, _, name = path.partition(".")
    steps = isinstance(statement.op, ast.Add | ast.Sub) and isinstance(
        statement.value, ast.Constant
    )
    first = function.node.args.args[:1]
    if not steps or not first or this != first[0].arg or "." in name:
        return False
    mentions = [n for n in ast.walk(owner) if isinstance(n, ast.Attribute) and n.attr == name]
    here = set(ast.walk(function.node))
    start = [n for n in mentions if n not in here]
    if len(start) != 1 or not _starts(owner, start[0]):
        return False
    table = parents(fact)
    return all(_fits(fact, n, table) for n in mentions if n in here)


def is_module(owner: ast.ClassDef) -> bool:
    """Whether a class is an nn.Module, as its bases say."""
    return any(path_of(base).rpartition(".")[2] == "Module" for base in owner.bases)


def _starts(owner: ast.ClassDef, mention: ast.Attribute) -> bool:
    """Whether a mention is `self.name = 0` in `__init__`, after the call of the base class's."""
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        ready = False
        for node in method.body:
            ready = ready or (isinstance(node, ast.Expr) and "__init__" in ast.dump(node))
            if isinstance(node, ast.Assign) and node.targets == [mention]:
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                return ready and type(value) in (int, float)
    return False


def _fits(fact: Fact, mention: ast.Attribute, table: dict[ast.AST, ast.AST]) -> bool:
    above = table.get(mention)
    if isinstance(above, ast.AugAssign):
        return above is fact.node
    if not isinstance(above, ast.BinOp) or not isinstance(above.op, ast.Mult | ast.Add | ast.Sub):
        return False
    other = above.right if above.left is mention else above.left
    return is_plain(other) and is_tensor(fact.value_of(other))


def make_buffer(correction: Correction) -> None:
    """Register the buffer in `__init__` and change it in place."""
    import libcst as cst

    statement = correction.statement()
    change = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(change, cst.AugAssign) or not isinstance(change.target, cst.Attribute):
        correction.decline("the counter is not changed by a statement")
    name = change.target.attr.value
    owner = correction.enclosing(statement, cst.ClassDef)
    start = _start(owner, name) if isinstance(owner, cst.ClassDef) else None
    if start is None:
        correction.decline("the counter does not start in `__init__`")
    method = "add_" if isinstance(change.operator, cst.AddAssign) else "sub_"
    counter = correction.text(change.target)
    correction.replace(change, f"{counter}.{method}({correction.text(change.value)})")
    first = f"{correction.name('torch.tensor')}({correction.text(start.value)})"
    this = correction.text(start.targets[0].target).partition(".")[0]
    text = f'{this}.register_buffer("{name}", {first}, persistent=False)'
    correction.replace(start, text)


def _start(owner: cst.ClassDef, name: str) -> cst.Assign | None:
    import libcst as cst

    for method in owner.body.body:
        if not isinstance(method, cst.FunctionDef) or method.name.value != "__init__":
            continue
        for line in method.body.body:
            small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
            if not isinstance(small, cst.Assign):
                continue
            target = small.targets[0].target
            if isinstance(target, cst.Attribute) and target.attr.value == name:
                return small
    return None
