"""The edits that move an import or a compile to module level; `hoisting.py` says when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


def move_import(correction: Correction) -> None:
    """Put the whole `try` behind the last import of the file; a name that fails is None."""
    block = correction.enclosing(correction.nodes[0], cst.Try)
    if not isinstance(block, cst.Try):
        correction.decline("no `try` holds the import")
    outer = correction.statement(block)
    small = block.body.body[0]
    statement = small.body[0] if isinstance(small, cst.SimpleStatementLine) else None
    if not isinstance(statement, (cst.Import, cst.ImportFrom)):
        correction.decline("the `try` holds more than an import")
    aliases = statement.names if not isinstance(statement.names, cst.ImportStar) else ()
    names = [alias.evaluated_alias or alias.evaluated_name for alias in aliases]
    errors = [handler.type for handler in block.handlers]
    caught = correction.text(errors[0]) if errors[0] is not None else "ImportError"
    indent = correction.tree.module.default_indent
    lines = [*correction.comments(outer), "try:"]
    lines += [indent + correction.text(statement), f"except {caught}:"]
    lines += [f"{indent}{name} = None" for name in names]
    correction.insert_after_imports(*lines)
    correction.remove(outer)


def move_compile(correction: Correction) -> None:
    """Compile above the function that did it on each call."""
    call = correction.node
    if not isinstance(call, cst.Call) or not isinstance(call.args[0].value, cst.Name):
        correction.decline("what is compiled has no name")
    outer = correction.enclosing(call, cst.FunctionDef)
    if (
        not isinstance(outer, cst.FunctionDef)
        or correction.parent(outer) is not correction.tree.module
    ):
        correction.decline("the function is inside another")
    name = f"compiled_{call.args[0].value.value}"
    correction.insert_before(outer, f"{name} = {correction.text(call)}", "", "")
    correction.replace(call, name)
