"""`torch._check` instead of an `if … raise` on a number that fullgraph=True captures.

The number is symbolic then, and a branch on it raises while compiling; a check goes into the graph.
(Without fullgraph the graph ends where the number is read, and no check helps.)
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst
from libcst import matchers as m

from compilescope.lint.choices import is_elif, only_raises
from compilescope.lint.choosing import constant_message
from compilescope.lint.surroundings import parents, tests_of
from compilescope.lint.uses import sole_definition

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction
    from compilescope.lint.rule import Fact

_OPPOSITE: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: ">=",
    cst.LessThanEqual: ">",
    cst.GreaterThan: "<=",
    cst.GreaterThanEqual: "<",
    cst.Equal: "!=",
    cst.NotEqual: "==",
}
_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_PLAIN = (
    *(ast.Compare, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp),
    *(ast.cmpop, ast.operator, ast.unaryop, ast.expr_context),
)


def only_guards(fact: Fact) -> bool:
    """Whether all branches on the number, by its one name, do nothing but raise."""
    table = parents(fact)
    above = table.get(fact.node)
    if not fact.site.fullgraph or not isinstance(above, ast.Assign):
        return False
    target = above.targets[0]
    if not isinstance(target, ast.Name) or sole_definition(fact, target.id) is not fact.node:
        return False
    branches = tests_of(fact, target.id)
    return bool(branches) and all(
        isinstance(branch, ast.If)
        and not branch.orelse
        and not is_elif(branch, table)
        and _is_simple(branch.test)
        and only_raises(fact, branch)
        for branch in branches
    )


def _is_simple(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], _COMPARED)
        and all(isinstance(node, _PLAIN) for node in ast.walk(test))
    )


def write_checks(correction: Correction) -> bool:
    """Rewrite the guards on the name that the finding's number is bound to, if there are any."""
    above = correction.parent(correction.node)
    function = correction.function()
    if correction.finding.severity != "raises" or not isinstance(above, cst.Assign):
        return False
    target = above.targets[0].target
    if function is None or not isinstance(target, cst.Name):
        return False
    guards = _Guards(target.value)
    function.visit(guards)
    for branch, test, raised in guards.found:
        _write(correction, branch, test, raised)
    return bool(guards.found)


def _write(
    correction: Correction, branch: cst.If, test: cst.Comparison, raised: cst.BaseExpression
) -> None:
    (pair,) = test.comparisons
    sides = (correction.text(side, operand=True) for side in (test.left, pair.comparator))
    condition = f" {_OPPOSITE[type(pair.operator)]} ".join(sides)
    call = isinstance(raised, cst.Call) and raised.args
    message = constant_message(correction, raised.args[0].value) if call else ""  # type: ignore[attr-defined]
    said = f", lambda: {message}" if message else ""
    text = f"{correction.name('torch._check')}({condition}{said})"
    correction.rewrite(correction.statement(branch), text)


class _Guards(cst.CSTVisitor):
    """Each `if` on a name that only raises, its test and what it raises."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.found: list[tuple[cst.If, cst.Comparison, cst.BaseExpression]] = []

    def visit_If(self, node: cst.If) -> None:  # noqa: N802  # LibCST's name
        line = node.body.body[0] if isinstance(node.body, cst.IndentedBlock) else None
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        raised = small.exc if isinstance(small, cst.Raise) else None
        named = m.findall(node.test, m.Name(value=self.name))
        if raised is not None and isinstance(node.test, cst.Comparison) and named:
            self.found.append((node, node.test, raised))
