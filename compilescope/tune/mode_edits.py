"""Edits that hold a process-wide setting while a statement with a compiled call runs."""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from compilescope.tune.source_edits import CannotEditError, code_of, statement, with_settings

# What the setting is, what it becomes: `{}` stands for the value.
_SETTERS = {
    "deterministic_algorithms": (
        "torch.are_deterministic_algorithms_enabled()",
        "torch.use_deterministic_algorithms({})",
    ),
    "allow_tf32": (
        "torch.get_float32_matmul_precision()",
        "torch.set_float32_matmul_precision({})",
    ),
    "num_threads": ("torch.get_num_threads()", "torch.set_num_threads({})"),
    "default_dtype": ("torch.get_default_dtype()", "torch.set_default_dtype({})"),
}


def held_at(text: str, line: int, mode: str, value: Any) -> str:
    """`text` in which the call at `line` runs with `mode` at `value`.

    Raises:
        CannotEditError: there is no way to write it, or it would hold for more than the call.
    """
    edit = _Around(text, line, mode, value)
    changed = MetadataWrapper(cst.parse_module(text)).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"line {line} is more than the one call")
    return with_settings(changed, [])


class _Around(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, text: str, line: int, mode: str, value: Any) -> None:
        super().__init__()
        self.text = text
        self.line = line
        self.mode = mode
        self.value = value
        self.count = 0

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        where: Any = self.get_metadata(PositionProvider, original_node)
        if not where.start.line <= self.line <= where.end.line or not _is_call(original_node):
            return updated_node
        self.count += 1
        bare = updated_node.with_changes(leading_lines=[])
        first, *more = self._wrapped(bare)
        return cst.FlattenSentinel(
            [first.with_changes(leading_lines=updated_node.leading_lines), *more]
        )

    def _wrapped(self, call: cst.SimpleStatementLine) -> list[Any]:
        body = cst.IndentedBlock([call])
        if self.mode == "grad_mode":
            context = "torch.enable_grad()" if self.value else "torch.no_grad()"
            return [cst.With([cst.WithItem(cst.parse_expression(context))], body)]
        if self.mode == "default_device" and len(self.value) == 1:
            context = f"torch.device({self.value[0]!r})"
            return [cst.With([cst.WithItem(cst.parse_expression(context))], body)]
        if self.mode not in _SETTERS:
            raise CannotEditError("it has no short form")
        get, put = _SETTERS[self.mode]
        name = f"earlier_{self.mode}"
        # Another call may have been edited so before.
        if name in self.text.replace(f"{name} = {get}", "").replace(put.format(name), ""):
            raise CannotEditError(f"`{name}` is a name already")
        back = cst.Finally(cst.IndentedBlock([statement(put.format(name))]))
        return [
            statement(f"{name} = {get}"),
            statement(put.format(_code(self.mode, self.value))),
            cst.Try(body, finalbody=back),
        ]


def _code(mode: str, value: Any) -> str:
    if mode == "default_dtype":
        return f"torch.{value}"
    return repr(value[0] if mode == "deterministic_algorithms" else value)


def _is_call(node: cst.SimpleStatementLine) -> bool:
    """Whether the statement does nothing but the call: all else would run under the setting too."""
    small: Any = node.body[0]
    kinds = (cst.Assign, cst.AnnAssign, cst.Expr, cst.Return)
    if len(node.body) != 1 or not isinstance(small, kinds) or not isinstance(small.value, cst.Call):
        return False
    name = code_of(small.value.func)
    inner = [found for arg in small.value.args for found in matchers.findall(arg, matchers.Call())]
    return not inner and not name.startswith(("torch.", "F.", "nn."))
