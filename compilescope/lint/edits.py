"""What a rule's fix works with: one finding in the concrete syntax tree of its file.

`Report(..., fix="safe")` on a finding says that its rule can correct it; then `lint --fix` calls

    def fix(self, correction: Correction) -> None:
        test = correction.node.expression
        where = correction.name("torch.logical_not")  # adds `import torch` where it is missing
        correction.replace(correction.node, f"{where}({correction.text(test)})")

and where a condition fails: `correction.decline("why")`. `correction.guard(statement, test)`
puts it under an `if`; `remove` and `insert_before` do what they say.

Replacements are text over the spans of nodes, so everything else in the file stays as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider

from compilescope.lint.imports import bound_name, import_edit, is_shadowed
from compilescope.lint.spans import Edit, Group, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.model import Finding

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class Declined(Exception):  # noqa: N818  # a decision of the rule, not an error
    """The rule makes no edit here; the text says why."""


class Tree:
    """The concrete syntax of one file with the position and parent of each node."""

    def __init__(self, text: str) -> None:
        self.text = text
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        self.positions: Mapping[cst.CSTNode, CodeRange] = wrapper.resolve(PositionProvider)
        self.parents: Mapping[cst.CSTNode, cst.CSTNode] = wrapper.resolve(ParentNodeProvider)
        self._starts = [0]
        for line in split_lines(text):
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Characters before `line` (from 1), `column` (from 0)."""
        return self._starts[line - 1] + column

    def line_at(self, offset: int) -> int:
        """The line, from 1, that holds the character at `offset`."""
        return min(bisect_right(self._starts, offset), len(self._starts) - 1) or 1

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """First character of `node` and the one after its last; parentheses around it excluded."""
        place = self.positions[node]
        return (
            self.offset(place.start.line, place.start.column),
            self.offset(place.end.line, place.end.column),
        )

    @cached_property
    def by_range(self) -> dict[tuple[int, int, int, int], list[cst.CSTNode]]:
        """Nodes by (line, column, end line, end column) as a Finding counts, outermost first."""
        table: dict[tuple[int, int, int, int], list[cst.CSTNode]] = {}
        for node, place in self.positions.items():
            key = (place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)
            table.setdefault(key, []).append(node)
        for nodes in table.values():
            nodes.sort(key=self._depth)
        return table

    def _depth(self, node: cst.CSTNode) -> int:
        depth = 0
        while node in self.parents:
            node = self.parents[node]
            depth += 1
        return depth


@dataclass
class Correction:
    """A finding, the node it stands on, and the edits that its rule asks for."""

    tree: Tree
    finding: Finding
    edits: list[Edit] = field(default_factory=list)

    @cached_property
    def nodes(self) -> list[cst.CSTNode]:
        """All nodes with exactly the finding's range, outermost first."""
        found = self.finding
        key = (found.line, found.column, found.end_line, found.end_column)
        return self.tree.by_range.get(key, [])

    @cached_property
    def node(self) -> cst.CSTNode:
        """The expression of the finding, else the statement."""
        for node in self.nodes:
            if isinstance(node, cst.BaseExpression):
                return node
        return self.nodes[0] if self.nodes else self.decline("no syntax has the finding's range")

    def decline(self, why: str) -> NoReturn:
        """Leave the code as it is."""
        raise Declined(why)

    def text(self, node: cst.CSTNode, *, operand: bool = False) -> str:
        """The source of `node`; with `operand`, in parentheses where it binds loosely."""
        start, end = self.tree.span(node)
        text = self.tree.text[start:end]
        tight = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.BaseString)
        bracketed = (cst.List, cst.Set, cst.Dict, cst.ListComp, cst.SetComp, cst.DictComp)
        if not operand or isinstance(node, (*tight, *bracketed)):
            return text
        return f"({text})"

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node that `node` is directly in."""
        return self.tree.parents[node]

    def enclosing(self, node: cst.CSTNode, *kinds: type[Any]) -> cst.CSTNode | None:
        """The nearest node around `node`, or itself, that is one of `kinds`."""
        here: cst.CSTNode | None = node
        while here is not None and not isinstance(here, kinds):
            here = self.tree.parents.get(here)
        return here

    def statement(self, node: cst.CSTNode | None = None) -> Statement:
        """The whole statement that holds `node`, alone on its lines."""
        kinds = (cst.SimpleStatementLine, cst.BaseCompoundStatement, cst.SimpleStatementSuite)
        found = self.enclosing(node or self.node, *kinds)
        if isinstance(found, cst.SimpleStatementSuite):
            self.decline("the statement stands on the line of its `if`, `for` or `def`")
        if isinstance(found, cst.SimpleStatementLine) and len(found.body) > 1:
            self.decline("several statements stand on one line")
        if not isinstance(found, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            self.decline("no statement holds the finding")
        return found

    def function(self, node: cst.CSTNode | None = None) -> cst.FunctionDef | None:
        """The function that holds `node`."""
        found = self.enclosing(self.tree.parents[node or self.node], cst.FunctionDef)
        return found if isinstance(found, cst.FunctionDef) else None

    def name(self, dotted: str) -> str:
        """How `dotted` ("torch.where") is written here; adds the import where it is missing."""
        bound = bound_name(self.tree.module, dotted)
        if bound is None:
            edit = import_edit(self.tree, dotted)
            if edit not in self.edits:
                self.edits.append(edit)
            bound = dotted
        if is_shadowed(self, bound.partition(".")[0]):
            self.decline(f"`{bound.partition('.')[0]}` has another meaning here")
        return bound

    def replace(self, node: cst.CSTNode, text: str) -> None:
        """`text` instead of `node`; parentheses around `node` stay."""
        self.edits.append(Edit(*self.tree.span(node), text))

    def insert_before(self, statement: Statement, *lines: str) -> None:
        """New lines above `statement`, below its own comments, at its indentation."""
        start, indent, newline = self._head(statement)
        text = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
        self.edits.append(Edit(start, start, text))

    def insert_after_imports(self, *lines: str) -> None:
        """New lines at the top level, below the imports of the file."""
        newline = self.tree.module.default_newline
        last = None
        for statement in self.tree.module.body:
            small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
            if any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in small):
                last = statement
        if not isinstance(last, cst.SimpleStatementLine):
            self.decline("the file has no imports")
        end = self._tail(last)
        self.edits.append(Edit(end, end, newline + "".join(line + newline for line in lines)))

    def remove_argument(self, keyword: str) -> None:
        """The call of the finding without one of its keyword arguments."""
        call = self.node
        if not isinstance(call, cst.Call):
            self.decline("the call is not written out")
        index = next(
            (i for i, a in enumerate(call.args) if a.keyword and a.keyword.value == keyword), -1
        )
        if index < 0:
            self.decline("the argument is passed in another way")
        start, end = self.tree.span(call.args[index])
        if index:
            start = self.tree.span(call.args[index - 1])[1]
        elif len(call.args) > 1:
            end = self.tree.span(call.args[1])[0]
        self.edits.append(Edit(start, end, ""))

    def remove(self, statement: Statement) -> None:
        """Without `statement` and its trailing comment; `pass` where the block would be empty."""
        block = self.parent(statement)
        start, indent, newline = self._head(statement)
        alone = isinstance(block, cst.IndentedBlock) and len(block.body) == 1
        text = f"{indent}pass{newline}" if alone else ""
        self.edits.append(Edit(start, self._tail(statement), text))

    def rewrite(self, statement: Statement, *lines: str) -> None:
        """`lines` instead of `statement`, below the comments that stood in it."""
        start, indent, newline = self._head(statement)
        comments = self.comments(statement)
        text = "".join(f"{indent}{line}{newline}" for line in (*comments, *lines))
        self.edits.append(Edit(start, self._tail(statement), text))

    def comments(self, statement: Statement) -> list[str]:
        """The comments inside a statement and behind it, without those above it."""
        collector = _Comments()
        statement.visit(collector)
        lead = {line.comment for line in getattr(statement, "leading_lines", ())}
        return [c.value for c in collector.found if c not in lead]

    def guard(self, statement: Statement, condition: str) -> None:
        """`statement` under `if condition:`, its comments kept.

        A simple statement has to be the finding's expression and no more: a name that it bound, or
        a value that it returned, would be missing otherwise.
        """
        if isinstance(statement, cst.SimpleStatementLine) and not self._is_all_of(statement):
            self.decline("the statement does more than the finding")
        start, indent, newline = self._head(statement)
        end = self._tail(statement)
        inner = self.tree.module.default_indent
        if _holds_multiline_string(statement):
            self.decline("the statement holds a string over several lines")
        body = split_lines(self.tree.text[start:end])
        moved = "".join(inner + line if line.strip() else line for line in body)
        text = f"{indent}if {condition}:{newline}{moved}"
        self.edits.append(Edit(start, end, text if text.endswith(("\n", "\r")) else text + newline))

    def _is_all_of(self, statement: cst.SimpleStatementLine) -> bool:
        small = statement.body[0]
        return isinstance(small, cst.Expr) and small.value is self.node

    def group(self) -> Group:
        """The edits asked for, all or none of which are made."""
        return Group(tuple(sorted(self.edits, key=lambda edit: (edit.start, edit.end))))

    def _head(self, statement: Statement) -> tuple[int, str, str]:
        start, _ = self.tree.span(statement)
        first = self.tree.offset(self.tree.line_at(start), 0)
        return first, self.tree.text[first:start], self.tree.module.default_newline

    def _tail(self, statement: Statement) -> int:
        _, end = self.tree.span(statement)
        text = self.tree.text
        while end < len(text) and text[end - 1 : end] != "\n":
            end += 1
        return end


def _holds_multiline_string(statement: Statement) -> bool:
    finder = _MultilineStrings()
    statement.visit(finder)
    return finder.found


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.Comment] = []

    def visit_Comment(self, node: cst.Comment) -> None:  # noqa: N802  # LibCST's name
        self.found.append(node)


class _MultilineStrings(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:  # noqa: N802  # LibCST's name
        self.found |= "\n" in node.value

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:  # noqa: N802
        self.found |= "\n" in node.value
