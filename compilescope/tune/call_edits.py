"""Edits at a call of the compiled callable: a statement before it, or a changed argument."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import libcst as cst
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from compilescope.tune.source_edits import CannotEditError, code_of, statement, with_settings

# What is inside of these is not evaluated once, in order, where the statement stands.
_LATER = (
    cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.IfExp,
    cst.BooleanOperation,
)  # fmt: skip
_BARE = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)


@dataclass(frozen=True)
class Place:
    """A call of the compiled callable, and the argument of it that is meant."""

    line: int
    position: int | None  # among the positional arguments, None where only a keyword can bring it
    name: str
    suffix: str = ""  # the path from the argument on: `['obs']`


class _AtCall(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, text: str, place: Place, before: str, around: str, known: set[str]) -> None:
        super().__init__()
        self.text = text
        self.place = place
        self.before = before  # a statement with `{}` for the argument
        self.around = around  # what the argument's expression, `{}`, becomes
        self.callees = known
        self.count = 0
        self._lines: list[str] = []
        self._later = 0
        self._statement: cst.SimpleStatementLine | None = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _LATER):
            self._later += 1
        return super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if isinstance(original_node, _LATER):
            self._later -= 1
        return super().on_leave(original_node, updated_node)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:  # noqa: N802
        self._statement = node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        where: Any = self.get_metadata(PositionProvider, original_node)
        inside = where.start.line <= self.place.line <= where.end.line
        if not inside or not self._is_callee(original_node):
            return updated_node
        found = self._argument(original_node)
        if found is None:
            return updated_node
        self.count += 1
        index, expression = found
        args = list(updated_node.args)
        if self.around:
            text = code_of(expression)
            text = text if isinstance(expression, _BARE) or "({" in self.around else f"({text})"
            new = cst.parse_expression(self.around.format(text))
        else:
            new = self._marked(original_node.args[index], expression)
        args[index] = args[index].with_changes(value=new)
        return updated_node.with_changes(args=args)

    def _marked(self, arg: cst.Arg, expression: cst.BaseExpression) -> cst.BaseExpression:
        """The argument, after the statement that marks it was put before the call's."""
        if self._statement is None or self._later or len(self._statement.body) != 1:
            raise CannotEditError("the call is part of something larger than a statement")
        text = code_of(expression)
        suffix = self.place.suffix
        if arg.star == "*":
            suffix = f"[{self.place.position}]{suffix}"
        if not isinstance(expression, (cst.Name, cst.Attribute)):
            if arg.star:
                raise CannotEditError(f"the arguments `*{text}` have no name")
            text = self._named(expression)
        self._lines.append(self.before.format(text + suffix))
        return cst.parse_expression(text)

    def _named(self, expression: cst.BaseExpression) -> str:
        """A new variable that holds `expression`, which is evaluated as early as before."""
        start = self._start(expression)
        assert self._statement is not None
        for call in matchers.findall(self._statement, matchers.Call()):
            within: Any = self.get_metadata(PositionProvider, call)
            if self._start(call) < start and (within.end.line, within.end.column) <= start:
                raise CannotEditError(f"`{code_of(call)}` comes before `{code_of(expression)}`")
        name = f"marked_{self.place.name}"
        # The name may be that of an edit of another call.
        others = (f"{name}_{number}" for number in count(2))
        name = next(one for one in chain([name], others) if one not in self.text)
        self._lines.append(f"{name} = {code_of(expression)}")
        return name

    def _start(self, node: cst.CSTNode) -> tuple[int, int]:
        where: Any = self.get_metadata(PositionProvider, node)
        return where.start.line, where.start.column

    def _is_callee(self, node: cst.Call) -> bool:
        name = code_of(node.func)
        return (
            name in self.callees if self.callees else not name.startswith(("torch.", "F.", "nn."))
        )

    def _argument(self, node: cst.Call) -> tuple[int, cst.BaseExpression] | None:
        for index, arg in enumerate(node.args):
            if arg.keyword is not None and arg.keyword.value == self.place.name:
                return index, arg.value
            if arg.star == "*" and index == 0 and len(node.args) == 1 and not self.around:
                return index, arg.value
            if index == self.place.position and arg.keyword is None and not arg.star:
                return index, arg.value
        return None

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        del original_node
        self._statement = None
        lines, self._lines = self._lines, []
        if not lines:
            return updated_node
        new = [statement(line) for line in dict.fromkeys(lines)]
        new[0] = new[0].with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel([*new, updated_node.with_changes(leading_lines=[])])


def at_call(text: str, place: Place, *, before: str = "", around: str = "") -> str:
    """`text` with a statement before the call at `place`, or its argument's expression changed.

    Raises:
        CannotEditError: the call is not certain, or the edit would not be safe there.
    """
    callees = _callees(text)
    for known in (callees, set()) if callees else (set(),):
        edit = _AtCall(text, place, before, around, known)
        changed = MetadataWrapper(cst.parse_module(text)).visit(edit).code
        if edit.count == 1:
            return with_settings(changed, [])
        if edit.count > 1:
            break
    raise CannotEditError(f"the call at line {place.line} is not certain")


def _callees(text: str) -> set[str]:
    """The names that hold what torch.compile returned."""
    found: set[str] = set()

    class Visitor(cst.CSTVisitor):
        def visit_Assign(self, node: cst.Assign) -> None:  # noqa: N802
            if isinstance(node.value, cst.Call) and code_of(node.value.func) == "torch.compile":
                found.update(code_of(one.target) for one in node.targets)

        def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
            if any(code_of(one.decorator).startswith("torch.compile") for one in node.decorators):
                found.add(node.name.value)

    cst.parse_module(text).visit(Visitor())
    return found
