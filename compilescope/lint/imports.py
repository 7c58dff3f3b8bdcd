"""Names that a fix needs: how the file already calls them, or where their import goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst.helpers import get_full_name_for_node

from compilescope.lint.spans import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.lint.edits import Correction, Tree


def bound_name(module: cst.Module, dotted: str) -> str | None:
    """The expression that means `dotted` ("torch.nn.functional.pad" is "F.pad") in `module`."""
    best: tuple[int, str] | None = None
    for target, alias in _bindings(module):
        if dotted != target and not dotted.startswith(target + "."):
            continue
        if best is None or len(target) > best[0]:
            best = (len(target), alias + dotted[len(target) :])
    return best[1] if best else None


def import_edit(tree: Tree, dotted: str) -> Edit:
    """The insertion of `import torch` for "torch.where", where an import sorter would put it."""
    root = dotted.partition(".")[0]
    newline = tree.module.default_newline
    last_end, seen_import = 0, False
    for statement in tree.module.body:
        small = _sole(statement)
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString):
            if seen_import or last_end:
                break
        elif not isinstance(small, (cst.Import, cst.ImportFrom)):
            break
        elif not _is_future(small):
            seen_import = True
            if _root(small) == root or (isinstance(small, cst.ImportFrom) and small.relative):
                start = tree.span(statement)[0]
                return Edit(start, start, f"import {root}{newline}")
        last_end = _line_end(tree, statement)
    if not last_end:
        first = tree.span(tree.module.body[0])[0]
        return Edit(first, first, f"import {root}{newline}{newline}")
    before = "" if tree.text[last_end - 1] in "\r\n" else newline
    gap = "" if seen_import else newline
    return Edit(last_end, last_end, f"{before}{gap}import {root}{newline}")


def is_shadowed(correction: Correction, name: str) -> bool:
    """Whether a function around the finding binds `name` itself."""
    function = correction.function()
    while function is not None:
        binder = _Binds(name)
        function.params.visit(binder)
        function.body.visit(binder)
        if binder.found:
            return True
        function = correction.function(function)
    return False


def _bindings(module: cst.Module) -> Iterator[tuple[str, str]]:
    for statement in module.body:
        smalls = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
        for small in smalls:
            if isinstance(small, cst.Import):
                for alias in small.names:
                    full = get_full_name_for_node(alias.name) or ""
                    given = alias.evaluated_alias
                    root = full.partition(".")[0]
                    yield (full, given) if given else (root, root)
            elif isinstance(small, cst.ImportFrom) and small.module and not small.relative:
                source = get_full_name_for_node(small.module)
                if isinstance(small.names, cst.ImportStar):
                    continue
                for alias in small.names:
                    name = alias.evaluated_name
                    yield f"{source}.{name}", alias.evaluated_alias or name


def _sole(statement: cst.CSTNode) -> cst.CSTNode | None:
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        return statement.body[0]
    return None


def _is_future(small: cst.Import | cst.ImportFrom) -> bool:
    return _root(small) == "__future__"


def _root(small: cst.Import | cst.ImportFrom) -> str:
    if isinstance(small, cst.Import):
        return (get_full_name_for_node(small.names[0].name) or "").partition(".")[0]
    name = get_full_name_for_node(small.module) if small.module else ""
    return (name or "").partition(".")[0]


def _line_end(tree: Tree, statement: cst.CSTNode) -> int:
    end = tree.span(statement)[1]
    while end < len(tree.text) and tree.text[end - 1 : end] != "\n":
        end += 1
    return end


class _Binds(cst.CSTVisitor):
    """Finds a parameter, assignment or import that gives `name` another meaning."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.found = False

    def visit_Param(self, node: cst.Param) -> None:  # noqa: N802  # LibCST's name
        self.found |= node.name.value == self.name

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:  # noqa: N802
        self.found |= isinstance(node.target, cst.Name) and node.target.value == self.name

    def visit_For(self, node: cst.For) -> None:  # noqa: N802
        self.found |= isinstance(node.target, cst.Name) and node.target.value == self.name
