"""Assignment: where a value ends up."""

from __future__ import annotations

import ast

from compilescope.lint.expressions import evaluate, index_value, path_of
from compilescope.lint.frames import Frame
from compilescope.lint.machine import Machine
from compilescope.lint.operators import iterated
from compilescope.lint.values import (
    Value,
    element,
    join,
    list_of,
    tuple_of,
)


def assign(
    machine: Machine,
    frame: Frame,
    target: ast.expr,
    value: Value,
    node: ast.AST,
    operator: str = "",
) -> None:
    """Bind a target of an assignment, a loop or a `with`."""
    if isinstance(target, ast.Name):
        _assign_name(machine, frame, target, value, node, operator)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(machine, frame, target, value, node, operator)
    elif isinstance(target, ast.Subscript):
        base = evaluate(machine, frame, target.value)
        index = index_value(machine, frame, target.slice)
        machine.emit(
            "store-index",
            node,
            frame,
            value=base,
            other=index,
            detail=operator,
            extra=(target, value),
        )
        _store_item(frame, target, base, index, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, frame, target, value, node)
    elif isinstance(target, ast.Starred):
        assign(machine, frame, target.value, list_of(iterated(value)), node)


def _assign_name(
    machine: Machine, frame: Frame, target: ast.Name, value: Value, node: ast.AST, operator: str
) -> None:
    name = target.id
    function = frame.site.function
    if function is not None and name in function.globals:
        machine.emit("store-global", node, frame, value=value, detail=name, extra=operator)
        return
    if function is not None and name in function.nonlocals:
        machine.emit("store-nonlocal", node, frame, value=value, detail=name, extra=operator)
        scope = frame.outer
        while scope is not None and name not in scope.env:
            scope = scope.outer
        if scope is not None:
            scope.env[name] = join(scope.env[name], value)
        return
    forget(frame, name)
    frame.env[name] = value
    frame.site.born[name] = machine.breaks


def forget(frame: Frame, path: str) -> None:
    """Drop what was known about the attributes of a name that is bound anew."""
    if path.partition(".")[0] not in frame.heads:
        return
    prefix = f"{path}."
    for known in [k for k in frame.env if k.startswith(prefix)]:
        del frame.env[known]


def _assign_attribute(
    machine: Machine,
    frame: Frame,
    target: ast.Attribute,
    value: Value,
    node: ast.AST,
    operator: str,
) -> None:
    base = evaluate(machine, frame, target.value)
    machine.emit(
        "store-attribute",
        node,
        frame,
        value=base,
        other=value,
        detail=target.attr,
        extra=(target, operator),
    )
    path = path_of(target)
    if path:
        forget(frame, path)
        frame.keep(path, value)
    if base.kind == "instance":
        attributes = base.data.attributes
        if not (path and path.partition(".")[0] == frame.this):
            old = attributes.get(target.attr)
            attributes[target.attr] = value if old is None else join(old, value)


def _store_item(
    frame: Frame, target: ast.Subscript, base: Value, index: Value, value: Value
) -> None:
    path = path_of(target.value)
    if not path or base.kind not in ("dict", "tuple", "list"):
        return
    if base.kind == "dict" and index.kind == "const" and isinstance(index.data, str | int):
        items = tuple((k, v) for k, v in base.data if k != index.data)
        frame.keep(path, Value("dict", (*items, (index.data, value)), base.note))
    elif base.kind == "dict":
        rest = value if base.note is None else join(base.note, value)
        frame.keep(path, Value("dict", base.data, rest))
    else:
        frame.keep(path, list_of(join(element(base), value), base.note))


def _unpack(
    machine: Machine, frame: Frame, target: ast.Tuple | ast.List, value: Value, node: ast.AST
) -> None:
    parts = target.elts
    starred = next((i for i, p in enumerate(parts) if isinstance(p, ast.Starred)), None)
    detail = "starred" if starred is not None else ""
    machine.emit("unpack", target, frame, value=value, detail=detail, extra=node)
    values: list[Value]
    if value.kind == "tuple" and starred is None and len(value.data) == len(parts):
        values = list(value.data)
    elif value.kind == "tuple" and starred is not None and len(value.data) >= len(parts) - 1:
        after = len(parts) - starred - 1
        middle = tuple_of(value.data[starred : len(value.data) - after], "list")
        values = [*value.data[:starred], middle, *value.data[len(value.data) - after :]]
    else:
        inner = iterated(value)
        values = [list_of(inner) if i == starred else inner for i in range(len(parts))]
    for index, (part, item) in enumerate(zip(parts, values, strict=False)):
        if index == starred and isinstance(part, ast.Starred):
            assign(machine, frame, part.value, item, node)
        else:
            assign(machine, frame, part, item, node)
