"""Edits of the user's source that keep its formatting: LibCST transformers, one a kind of edit."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

_SETTING = re.compile(r"torch\.[\w.]*config\.\w+ = ")


class CannotEditError(Exception):
    """The source has no place, or several, where the edit would be right."""


def code_of(node: cst.CSTNode) -> str:
    """The source text of `node`."""
    return cst.Module(body=[]).code_for_node(node)


def statement(text: str) -> cst.SimpleStatementLine:
    """One line of code as a node."""
    found = cst.parse_statement(text)
    assert isinstance(found, cst.SimpleStatementLine)
    return found


def with_settings(text: str, lines: Sequence[str]) -> str:
    """`text` with `lines` after its top-level imports, and torch imported."""
    module = cst.parse_module(text)
    last, torch = -1, False
    for place, node in enumerate(module.body):
        if isinstance(node, cst.SimpleStatementLine) and isinstance(
            node.body[0], (cst.Import, cst.ImportFrom)
        ):
            last = place
            torch = torch or code_of(node).strip().startswith("import torch")
    if last < 0:
        raise CannotEditError("the file has no import at its top")
    imported = last
    while last + 1 < len(module.body) and _SETTING.match(code_of(module.body[last + 1]).strip()):
        last += 1
    wanted = [line for line in lines if line not in text]
    new = [statement(line) for line in ([] if torch else ["import torch"]) + wanted]
    if new and torch and last == imported:
        new[0] = new[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    body = [*module.body[: last + 1], *new, *module.body[last + 1 :]]
    return module.with_changes(body=body).code


class _CompileCalls(cst.CSTTransformer):
    """Adds or replaces keywords of torch.compile calls, and of `module.compile()` calls."""

    def __init__(self, keywords: dict[str, object]) -> None:
        super().__init__()
        self.keywords = keywords
        self.count = 0

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        if not _is_compile(original_node):
            return updated_node
        self.count += 1
        kept = [
            one for one in updated_node.args
            if one.keyword is None or one.keyword.value not in self.keywords
        ]  # fmt: skip
        new = [
            cst.Arg(
                cst.parse_expression(repr(value)),
                cst.Name(name),
                equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
            )
            for name, value in self.keywords.items()
            if value is not None
        ]
        args = [one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in (*kept, *new)]
        return updated_node.with_changes(args=args)

    def leave_Decorator(  # noqa: N802
        self, original_node: cst.Decorator, updated_node: cst.Decorator
    ) -> cst.Decorator:
        if code_of(original_node.decorator) != "torch.compile":
            return updated_node
        self.count += 1
        words = ", ".join(f"{name}={value!r}" for name, value in self.keywords.items())
        return updated_node.with_changes(decorator=cst.parse_expression(f"torch.compile({words})"))


def _is_compile(node: cst.Call) -> bool:
    name = code_of(node.func)
    if name == "torch.compile":
        return True
    module_method = name.endswith(".compile") and name.count(".") and not name.startswith("re.")
    known = {"backend", "dynamic", "fullgraph", "mode", "options"}
    words = {one.keyword.value for one in node.args if one.keyword is not None}
    return bool(module_method) and len(words) == len(node.args) and words <= known


def with_compile_keywords(text: str, keywords: dict[str, object]) -> str:
    """`text` with `keywords` in its one torch.compile call."""
    edit = _CompileCalls(keywords)
    changed = cst.parse_module(text).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"the file has {edit.count} calls of torch.compile")
    return changed


class _Disable(cst.CSTTransformer):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.count = 0

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if original_node.name.value != self.name:
            return updated_node
        self.count += 1
        new = cst.Decorator(cst.parse_expression("torch.compiler.disable"))
        decorators = [*updated_node.decorators, new]
        return updated_node.with_changes(decorators=decorators)


def with_disabled(text: str, name: str) -> str:
    """`text` with `@torch.compiler.disable` on its one function called `name`."""
    edit = _Disable(name)
    changed = cst.parse_module(text).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"the file has {edit.count} functions called {name}")
    return with_settings(changed, [])


class _Within(cst.CSTTransformer):
    """Knows the classes and functions around the node at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.classes: list[cst.ClassDef] = []
        self.functions: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802
        self.classes.append(node)

    def leave_ClassDef(  # noqa: N802
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        del original_node
        self.classes.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        self.functions.append(node.name.value)

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        del original_node
        self.functions.pop()
        return updated_node

    @property
    def owner(self) -> str:
        """The name of the innermost class, "" outside of all."""
        return self.classes[-1].name.value if self.classes else ""


class _Held(_Within):
    """Turns the number that an attribute or global begins with into a tensor."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target
        self.count = 0
        self.found_in = ""  # the class in whose `__init__` it was found

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assign = _assignment(original_node, self.target)
        if assign is None or not self._first():
            return updated_node
        self.count += 1
        self.found_in = self.owner
        value = code_of(assign.value)
        name = self.target.removeprefix("self.")
        made = f"torch.tensor({value})"
        if self.target == name or not self._in_module():
            new = f"{self.target} = {made}"
        else:
            new = f'self.register_buffer("{name}", {made}, persistent=False)'
        return updated_node.with_changes(body=statement(new).body)

    def _first(self) -> bool:
        if self.target.startswith("self."):
            return self.functions[-1:] == ["__init__"]
        return not self.functions and not self.classes

    def _in_module(self) -> bool:
        bases = self.classes[-1].bases if self.classes else ()
        return any(code_of(base.value).endswith("Module") for base in bases)


def _assignment(node: cst.SimpleStatementLine, target: str) -> cst.Assign | None:
    """The assignment to `target` alone that the line is, None if it is none."""
    assign = node.body[0] if len(node.body) == 1 else None
    if not isinstance(assign, cst.Assign):
        return None
    return assign if [code_of(one.target) for one in assign.targets] == [target] else None


class _HeldLater(_Within):
    """Keeps an attribute a tensor where another method of its class sets it."""

    def __init__(self, target: str, found_in: str) -> None:
        super().__init__()
        self.target = target
        self.found_in = found_in

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assign = _assignment(original_node, self.target)
        later = bool(self.functions) and self.functions[-1] != "__init__"
        if assign is None or not later or self.owner != self.found_in:
            return updated_node
        value = code_of(assign.value)
        if isinstance(assign.value, cst.BinaryOperation) and self.target in value:
            return updated_node  # what is computed from a tensor is one
        kept = f"{self.target} = torch.as_tensor({value})"
        return updated_node.with_changes(body=statement(kept).body)


def with_held(text: str, target: str) -> str:
    """`text` in which `target`, `self.x` or a global, begins as a tensor and stays one."""
    edit = _Held(target)
    module = cst.parse_module(text).visit(edit)
    if edit.count != 1:
        raise CannotEditError(f"`{target}` is set at {edit.count} places where it could begin")
    if edit.found_in:
        module = module.visit(_HeldLater(target, edit.found_in))
    return with_settings(module.code, [])
