"""Edits that write a branch on tensor data without the branch; `choices.py` says where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst import matchers as m

from compilescope.lint.pointwise import APART

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


Sides = tuple[cst.BaseExpression, cst.BaseExpression]


def rewrite_branch(correction: Correction) -> None:
    """Rewrite the `if`, conditional expression, `and`, `or` or `not` around a test."""
    test, inverted = correction.node, False
    above = correction.parent(test)
    if isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not):
        test, above, inverted = above, correction.parent(above), True
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 2:
        _split_chain(correction, test)
    elif isinstance(above, cst.BooleanOperation):
        _use_flags(correction, above)
    elif isinstance(above, cst.If):
        _rewrite_if(correction, above, inverted)
    elif isinstance(above, cst.IfExp):
        correction.replace(above, _chosen(correction, (above.body, above.orelse), inverted))
    elif inverted:
        name = correction.name("torch.logical_not")
        correction.replace(test, f"{name}({correction.text(correction.node)})")
    else:
        correction.decline("the branch has a form that is not known")


def _chosen(correction: Correction, sides: Sides, inverted: bool) -> str:
    """`torch.where(...)` or `torch.cond(...)` for a test that is the finding."""
    first, second = reversed(sides) if inverted else sides
    tested = _tested(correction)
    condition = correction.text(tested)
    if not _is_comparison(tested):
        condition = f"{correction.text(tested, operand=True)} != 0"
    if not any(map(_runs_alone, sides)):
        texts = correction.text(first), correction.text(second)
        return f"{correction.name('torch.where')}({condition}, {', '.join(texts)})"
    branches = (f"lambda: {_new(correction, side)}" for side in (first, second))
    return f"{correction.name('torch.cond')}({condition}, {', '.join(branches)})"


def _runs_alone(side: cst.BaseExpression) -> bool:
    """Whether a side must not be computed where the other one is chosen."""
    return bool(
        m.findall(
            side,
            m.Call(func=m.Attribute(attr=m.Name(value=m.MatchIfTrue(APART.__contains__))))
            | m.BinaryOperation(operator=m.Divide(), right=~(m.Integer() | m.Float())),
        )
    )


def _new(correction: Correction, side: cst.BaseExpression) -> str:
    """A side of `torch.cond`, which must not give an input itself."""
    plain = isinstance(side, (cst.Name, cst.Attribute))
    return f"{correction.text(side)}.clone()" if plain else correction.text(side)


def _tested(correction: Correction) -> cst.CSTNode:
    """The tensor that the finding is about, without a `bool()` around it."""
    node = correction.node
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and len(node.args) == 1:
        return node.args[0].value if node.func.value == "bool" else node
    return node


def _is_comparison(node: cst.CSTNode) -> bool:
    """Whether the text alone says that a tensor is bool."""
    if isinstance(node, cst.Comparison):
        return True
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.attr.value in ("any", "all", "isnan", "isinf", "isfinite", "logical_not")
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.BitAnd, cst.BitOr)):
        return _is_comparison(node.left) and _is_comparison(node.right)
    return False


def _use_flags(correction: Correction, operator: cst.BooleanOperation) -> None:
    sign = "&" if isinstance(operator.operator, cst.And) else "|"
    outer = correction.parent(operator)
    while isinstance(outer, cst.BooleanOperation):
        if type(outer.operator) is not type(operator.operator):
            correction.decline("`and` and `or` are mixed")
        operator, outer = outer, correction.parent(outer)
    parts: list[str] = []
    _operands(correction, operator, parts)
    correction.replace(operator, f" {sign} ".join(parts))


def _split_chain(correction: Correction, chain: cst.Comparison) -> None:
    """`(a < b) & (b < c)` for `a < b < c`."""
    left, (first, second) = chain.left, chain.comparisons
    code = correction.tree.module.code_for_node
    pairs = (
        (left, first.operator, first.comparator),
        (first.comparator, second.operator, second.comparator),
    )
    parts = [
        f"({correction.text(a, operand=True)}{code(sign)}{correction.text(b, operand=True)})"
        for a, sign, b in pairs
    ]
    correction.replace(chain, " & ".join(parts))


def _operands(correction: Correction, node: cst.BaseExpression, parts: list[str]) -> None:
    if isinstance(node, cst.BooleanOperation):
        _operands(correction, node.left, parts)
        _operands(correction, node.right, parts)
    else:
        parts.append(correction.text(node, operand=True))


def _rewrite_if(correction: Correction, branch: cst.If, inverted: bool) -> None:
    body = _only(correction, branch.body)
    statement = correction.statement(branch)
    if isinstance(body, cst.Raise):
        correction.rewrite(statement, _assertion(correction, body, inverted))
    elif isinstance(body, cst.Return) and branch.orelse is None:
        _merge_returns(correction, branch, body, inverted)
    elif isinstance(body, (cst.Return, cst.Assign)):
        correction.rewrite(statement, _one_line(correction, branch, body, inverted))
    else:
        correction.decline("the body is more than a choice")


def _one_line(
    correction: Correction, branch: cst.If, body: cst.Return | cst.Assign, inverted: bool
) -> str:
    """The assignment or `return` that an `if` with `else`, or without, comes down to."""
    if isinstance(body, cst.Return):
        start = "return"
    else:
        target = body.targets[0].target
        start = f"{correction.text(target)} ="
        if isinstance(target, cst.Subscript) or _is_masked(branch, body):
            return correction.text(body)
    yes: cst.BaseExpression | None = body.value
    no: cst.BaseExpression | None = None
    if branch.orelse is None:
        no = body.targets[0].target if isinstance(body, cst.Assign) else None
    else:
        if not isinstance(branch.orelse, cst.Else):
            correction.decline("the `if` has an `elif`")
        other = _only(correction, branch.orelse.body)
        no = other.value if isinstance(other, (cst.Return, cst.Assign)) else None
    if yes is None or no is None:
        correction.decline("no value")
    return f"{start} {_chosen(correction, (yes, no), inverted)}"


def _is_masked(branch: cst.If, body: cst.Assign) -> bool:
    """Whether the body changes only what the tested mask selects, and can go without the test."""
    test, value = branch.test, body.value
    if branch.orelse is not None or not isinstance(test, cst.Call):
        return False
    if not (isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.args):
        return False
    if not isinstance(test.func, cst.Attribute) or test.func.attr.value != "any":
        return False
    mask = test.args[0].value if test.args else test.func.value
    if value.func.attr.value not in ("masked_fill", "where"):
        return False
    return value.args[0].value.deep_equals(mask)


def _merge_returns(
    correction: Correction, branch: cst.If, body: cst.Return, inverted: bool
) -> None:
    """`if test: return a` and the `return b` after it."""
    block = correction.parent(branch)
    statements = getattr(block, "body", ())
    index = list(statements).index(branch) + 1
    after = statements[index] if index < len(statements) else None
    last = after.body[0] if isinstance(after, cst.SimpleStatementLine) else None
    if not isinstance(last, cst.Return) or last.value is None or body.value is None:
        correction.decline("no `return` follows")
    correction.rewrite(correction.statement(branch))
    correction.replace(last.value, _chosen(correction, (body.value, last.value), inverted))


def _only(correction: Correction, suite: cst.BaseSuite) -> cst.CSTNode:
    """The one small statement of a block."""
    if isinstance(suite, cst.IndentedBlock) and len(suite.body) == 1:
        line = suite.body[0]
        if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            return line.body[0]
    return correction.decline("the block has more than one statement")


def _assertion(correction: Correction, body: cst.Raise, inverted: bool) -> str:
    """An assertion that fails where the `raise` was reached; with it, the graph goes on."""
    test = _tested(correction)
    if inverted:
        condition = correction.text(test)
    elif _is_comparison(test):
        condition = f"~{correction.text(test, operand=True)}"
    else:
        condition = f"{correction.text(test, operand=True)} == 0"
    raised = body.exc
    if isinstance(raised, cst.Call) and raised.args:
        return f"assert {condition}, {constant_message(correction, raised.args[0].value)}"
    name = raised.func if isinstance(raised, cst.Call) else raised
    return f'assert {condition}, "{correction.text(name) if name is not None else ""}"'


def constant_message(correction: Correction, message: cst.BaseExpression) -> str:
    """The text of a message, with the expressions of an f-string as they stand in it."""
    if isinstance(message, cst.SimpleString):
        return correction.text(message)
    if isinstance(message, cst.ConcatenatedString):
        sides = (constant_message(correction, side) for side in (message.left, message.right))
        return correction.tree.module.code_for_node(message.whitespace_between).join(sides)
    if not isinstance(message, cst.FormattedString):
        correction.decline("the message is computed")
    parts: list[str] = []
    for part in message.parts:
        if isinstance(part, cst.FormattedStringText):
            parts.append(part.value.replace("{{", "{").replace("}}", "}"))
        elif isinstance(part, cst.FormattedStringExpression):
            text = correction.text(part.expression)
            if set(text) & set("\"'\\\n\r"):
                correction.decline("an expression of the message holds a string")
            parts.append(text)
    prefix = message.prefix.replace("f", "").replace("F", "")
    return prefix + message.end + "".join(parts) + message.end
