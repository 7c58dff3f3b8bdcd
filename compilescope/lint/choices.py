"""Branches on tensor data that can be written without a branch, and how.

The conditions are about the syntax tree and the kinds of values; `choosing.py` makes the edits.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from compilescope.lint.apart import may_run_apart
from compilescope.lint.expressions import path_of
from compilescope.lint.pointwise import is_flag, pointwise, reads_only
from compilescope.lint.surroundings import parents
from compilescope.lint.values import SCALAR, Value, is_tensor, tensor_part

if TYPE_CHECKING:
    from compilescope.lint.rule import Fact

Form = Literal["", "raise", "guard", "choose", "flags", "not"]
_CONTROL = ("StopIteration", "StopAsyncIteration", "NotImplementedError", "GeneratorExit")


def form_of(fact: Fact) -> Form:
    """How the branch that a fact is about can be rewritten; "" where that is not shown.

    "raise": an assertion. "guard": the body alone, which does nothing where the test fails.
    "choose": `torch.where` or `torch.cond`. "flags": `&` or `|` instead of `and`, `or` or a chain
    of comparisons. "not": `torch.logical_not`.
    """
    table = parents(fact)
    test = fact.node
    above = table.get(test)
    inverted = isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
    if inverted and isinstance(above, ast.UnaryOp):
        test, above = above, table.get(above)
    if not isinstance(test, ast.expr) or not _without_dimensions(fact.value):
        return ""
    if fact.detail == "compare" and isinstance(test, ast.Compare):
        flat = not inverted and reads_only(test) and len(test.ops) == 2
        return "flags" if flat and _leads_on(fact, test, table) else ""
    if isinstance(above, ast.BoolOp):
        return "" if inverted else _flags(fact, above, table)
    if isinstance(above, ast.If) and above.test is test:
        if is_elif(above, table):
            return ""
        return _statement(fact, above, table)
    if isinstance(above, ast.IfExp) and above.test is test:
        return "choose" if are_alike(fact, above.body, above.orelse) else ""
    if inverted and isinstance(above, ast.Assert):
        return "not"
    return "not" if inverted and isinstance(above, ast.Assign | ast.Return | ast.keyword) else ""


def _statement(fact: Fact, branch: ast.If, table: dict[ast.AST, ast.AST]) -> Form:
    if not branch.orelse and only_raises(fact, branch):
        return "raise"
    if not branch.orelse and _does_nothing_unmasked(branch):
        return "guard"
    sides = sides_of(branch, table)
    return "choose" if sides is not None and are_alike(fact, *sides) else ""


def _without_dimensions(value: Value) -> bool:
    part = tensor_part(value)
    return part is not None and is_tensor(value) and bool(part.note & SCALAR)


def is_elif(branch: ast.If, table: dict[ast.AST, ast.AST]) -> bool:
    """Whether an `if` is the `elif` of another, or may be: `else` with nothing but an `if`."""
    above = table.get(branch)
    return isinstance(above, ast.If) and above.orelse == [branch]


def sides_of(branch: ast.If, table: dict[ast.AST, ast.AST]) -> tuple[ast.expr, ast.expr] | None:
    """The two expressions between which an `if` chooses for one name or for the result."""
    if len(branch.body) != 1 or len(branch.orelse) > 1:
        return None
    first = branch.body[0]
    other = branch.orelse[0] if branch.orelse else None
    if isinstance(first, ast.Return):
        other = other if branch.orelse else following(branch, table)
        if isinstance(other, ast.Return) and first.value is not None and other.value is not None:
            return first.value, other.value
        return None
    if not isinstance(first, ast.Assign) or len(first.targets) != 1:
        return None
    target = first.targets[0]
    if not isinstance(target, ast.Name):
        return None
    if other is None:
        return first.value, ast.copy_location(ast.Name(target.id, ast.Load()), target)
    same = isinstance(other, ast.Assign) and len(other.targets) == 1
    if same and isinstance(other, ast.Assign) and path_of(other.targets[0]) == target.id:
        return first.value, other.value
    return None


def following(branch: ast.stmt, table: dict[ast.AST, ast.AST]) -> ast.stmt | None:
    """The statement after another in the same block."""
    above = table.get(branch)
    for part in ("body", "orelse", "finalbody"):
        block = getattr(above, part, None)
        if isinstance(block, list) and branch in block:
            index = block.index(branch) + 1
            return block[index] if index < len(block) else None
    return None


def are_alike(fact: Fact, first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions give tensors of one shape and kind, and both can be computed."""
    return _both_may_run(fact, first, second) or may_run_apart(fact, first, second)


def _both_may_run(fact: Fact, first: ast.expr, second: ast.expr) -> bool:
    one, two = pointwise(fact, first), pointwise(fact, second)
    if one is None or two is None or one.sources != two.sources:
        return False
    if one.kind == two.kind == "float-number":
        return True
    return one.kind == two.kind and one.kind in ("tensor", "bool") and _one_dtype(fact, one, two)


def _one_dtype(fact: Fact, one: object, two: object) -> bool:
    floats = {getattr(one, "floats", False), getattr(two, "floats", False)}
    if len(floats) == 1:
        return True
    sources = getattr(one, "sources", ())
    known = [fact.value_of(ast.parse(path, mode="eval").body) for path in sources]
    return not any(value.data in ("int", "bool") for value in known)


def only_raises(fact: Fact, branch: ast.If) -> bool:
    """`raise Name("constant")` or with an f-string, that nothing here catches."""
    if len(branch.body) != 1 or not isinstance(branch.body[0], ast.Raise) or fact.site.guarded:
        return False
    raised, cause = branch.body[0].exc, branch.body[0].cause
    if cause is not None or raised is None:
        return False
    if isinstance(raised, ast.Call):
        if raised.keywords or len(raised.args) > 1:
            return False
        if raised.args and not is_message(raised.args[0]):
            return False
        raised = raised.func
    name = path_of(raised).rpartition(".")[2]
    return bool(name) and name not in _CONTROL


def is_message(node: ast.expr) -> bool:
    """A constant text, or one with expressions that hold no strings."""
    if isinstance(node, ast.JoinedStr):
        parts = [p.value for p in node.values if isinstance(p, ast.FormattedValue)]
        return not any(set(ast.unparse(part)) & set("\"'\\\n\r") for part in parts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _does_nothing_unmasked(branch: ast.If) -> bool:
    """`if mask.any():` before something that only changes what the mask selects."""
    test, body = branch.test, branch.body
    if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute)):
        return False
    if test.func.attr != "any" or test.keywords or len(body) != 1:
        return False
    mask = test.args[0] if test.args else test.func.value
    if len(test.args) > 1 or (test.args and path_of(test.func) != "torch.any"):
        return False
    return _is_filled(body[0], ast.dump(mask))


def _is_filled(body: ast.stmt, mask: str) -> bool:
    if not isinstance(body, ast.Assign) or len(body.targets) != 1:
        return False
    target, value = body.targets[0], body.value
    if isinstance(target, ast.Subscript):
        return ast.dump(target.slice) == mask and isinstance(value, ast.Constant)
    name = path_of(target)
    if not name or not isinstance(value, ast.Call) or value.keywords:
        return False
    if not isinstance(value.func, ast.Attribute):
        return False
    arguments = [ast.dump(argument) for argument in value.args]
    if value.func.attr == "masked_fill" and path_of(value.func.value) == name:
        return len(arguments) == 2 and arguments[0] == mask
    if path_of(value.func) == "torch.where" and len(arguments) == 3:
        return arguments[0] == mask and path_of(value.args[2]) == name
    return False


def _flags(fact: Fact, operator: ast.BoolOp, table: dict[ast.AST, ast.AST]) -> Form:
    """`and` and `or` between flags, where a fix for what tests the result can follow."""
    if fact.detail == "" or not all(is_flag(fact, operand) for operand in operator.values):
        return ""
    return "flags" if _leads_on(fact, operator, table) else ""


def _leads_on(fact: Fact, test: ast.expr, table: dict[ast.AST, ast.AST]) -> bool:
    """Whether a tensor can stand where this test does, or a fix can follow that makes it so."""
    above = table.get(test)
    if isinstance(above, ast.If) and above.test is test and not is_elif(above, table):
        return bool(_statement(fact, above, table))
    if isinstance(above, ast.IfExp) and above.test is test:
        return are_alike(fact, above.body, above.orelse)
    return isinstance(above, ast.Assert | ast.Assign | ast.Return)
