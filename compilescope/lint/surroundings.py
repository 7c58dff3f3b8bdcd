"""Where an expression stands in its function: what a fix has to know before it is offered."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.values import INPUT

if TYPE_CHECKING:
    from compilescope.lint.rule import Fact

QUIET_FUNCTIONS = frozenset(
    "abs bool dict float format getattr hasattr id int isinstance len list max min repr round set "
    "str sum tuple type".split()
)
QUIET_METHODS = frozenset(
    "abs all amax amin any argmax argmin cpu detach dim element_size float format get_device "
    "isfinite isinf isnan item join max mean min norm numel numpy size std sum tolist var".split()
)
_EXPRESSIONS_WITH_EFFECTS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def parents(fact: Fact) -> dict[ast.AST, ast.AST]:
    """Each node of the function around a fact and what it is directly in."""
    function = fact.site.function
    if function is None:
        return {}
    return {child: node for node in ast.walk(function.node) for child in ast.iter_child_nodes(node)}


def is_statement(fact: Fact) -> bool:
    """Whether the expression is a statement alone on its lines: its value is not used."""
    statement = parents(fact).get(fact.node)
    if not isinstance(statement, ast.Expr):
        return False
    lines = fact.site.module.lines
    first, last = lines[statement.lineno - 1], lines[(statement.end_lineno or 1) - 1]
    before = first.encode()[: statement.col_offset].strip()
    after = last.encode()[statement.end_col_offset :].strip()
    return not before and (not after or after.startswith(b"#"))


def spans_strings(fact: Fact) -> bool:
    """Whether a string over several lines is in the expression: it cannot be moved to the right."""
    lines = fact.site.module.lines
    for node in ast.walk(fact.node):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno:
            part = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if '"""' in part or "'''" in part or "\\\n" in part:
                return True
    return False


def is_test(fact: Fact) -> bool:
    """Whether an expression, under `not`, `and` and `or`, is all that a branch decides on."""
    table = parents(fact)
    node, above = fact.node, table.get(fact.node)
    while isinstance(above, ast.BoolOp) or (
        isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
    ):
        node, above = above, table.get(above)
    if isinstance(above, ast.comprehension):
        return node in above.ifs
    branches = ast.If | ast.While | ast.IfExp | ast.Assert
    return isinstance(above, branches) and above.test is node


_BRANCHES = (ast.If, ast.While, ast.IfExp)
_PASSED_ON = (
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp),
    *(ast.Call, ast.Attribute, ast.Subscript),
)
# What makes Python numbers; other calls give tensors, and a branch on those has its own rule.
_COUNTS = frozenset("len int float bool abs min max round item tolist numel nelement size".split())
_NUMBERS = ("call:torch.Tensor.item", "call:builtins.int", "call:builtins.float")


def decides_on_captured(fact: Fact) -> bool:
    """Whether Python decides by something that fullgraph=True has captured, which raises.

    The number in an input itself is known while the graph is built.
    """
    values = (fact.value, *fact.arguments[:1]) if fact.key in _NUMBERS else ()
    return decides(fact) and not any(v.kind == "tensor" and v.note & INPUT for v in values)


def decides(fact: Fact) -> bool:
    """Whether Python branches on what an expression gives, or loops over it, here or by its name.

    `range(n)` and `assert` do not count: they go into the graph.
    """
    table = parents(fact)
    node, above = fact.node, table.get(fact.node)
    while isinstance(above, _PASSED_ON) and _gives_number(above):
        node, above = above, table.get(above)
    if _tests(above, node):
        return True
    if not isinstance(above, ast.Assign) or not isinstance(above.targets[0], ast.Name):
        return False
    return bool(tests_of(fact, above.targets[0].id))


def tests_of(fact: Fact, name: str) -> list[ast.AST]:
    """The branches and loops of the function that decide by a name."""
    found: list[ast.AST] = []
    for other in set(parents(fact).values()):
        part = getattr(other, "test", None) or getattr(other, "iter", None)
        if not isinstance(part, ast.expr) or isinstance(other, ast.Assert) or _is_range(part):
            continue
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part)):
            found.append(other)
    return found


def _tests(above: ast.AST | None, node: ast.AST) -> bool:
    if isinstance(above, _BRANCHES):
        return above.test is node
    if isinstance(above, ast.comprehension):
        return node is above.iter or node in above.ifs
    return isinstance(above, ast.For) and above.iter is node


def _gives_number(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return True
    return getattr(node.func, "id", getattr(node.func, "attr", "")) in _COUNTS


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"


def leads_to_error(fact: Fact) -> bool:
    """Whether the test that a fact is about decides on nothing but an error."""
    table = parents(fact)
    node: ast.AST | None = fact.node
    while node is not None and not isinstance(node, ast.stmt):
        node = table.get(node)
    if isinstance(node, ast.If):
        return isinstance(node.body[-1], ast.Raise)
    return isinstance(node, ast.Assert | ast.Expr)  # `check(size % 2 == 0 and more, "why")`


def only_reads(call: ast.Call) -> bool:
    """Whether building the arguments of a call changes nothing, as far as their names tell."""
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    nodes = [node for part in parts for node in ast.walk(part)]
    return not any(isinstance(n, _EXPRESSIONS_WITH_EFFECTS) for n in nodes) and all(
        _is_quiet(n.func) for n in nodes if isinstance(n, ast.Call)
    )


def _is_quiet(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in QUIET_FUNCTIONS
    return isinstance(function, ast.Attribute) and function.attr in QUIET_METHODS
