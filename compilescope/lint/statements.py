"""Statements: control flow, assignment, and where a function's values end up."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from compilescope.lint.assignments import assign, forget
from compilescope.lint.expressions import evaluate, path_of, test
from compilescope.lint.frames import Frame
from compilescope.lint.index import Function, define_class, imported
from compilescope.lint.machine import Machine, merge
from compilescope.lint.narrowing import narrow
from compilescope.lint.operators import binary, iterated
from compilescope.lint.rare import asks_metadata, is_rare
from compilescope.lint.values import (
    NONE,
    UNKNOWN,
    Value,
    join,
    join_all,
    list_of,
    truth,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Instance

Env = dict[str, Value]


def run_body(machine: Machine, frame: Frame, function: Function) -> Value:
    """Run a function's body in a frame; the result is what the call gives."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return evaluate(machine, frame, node.body)
    end = run_block(machine, frame, node.body)
    if end is not None:
        frame.returns.append(NONE)
        frame.finals.append(end)
    _keep_attributes(frame)
    if frame.yields:
        return list_of(join_all(frame.yields), "generator")
    if isinstance(node, ast.AsyncFunctionDef):
        return UNKNOWN
    return join_all(frame.returns) if frame.returns else UNKNOWN


def _keep_attributes(frame: Frame) -> None:
    """Attributes that the method assigned stay on the object."""
    this = frame.env.get(frame.this) if frame.this else None
    if this is None and frame.finals and frame.this:
        this = frame.finals[0].get(frame.this)
    if this is None or this.kind != "instance":
        return
    prefix = f"{frame.this}."
    final: Env | None = None
    for env in frame.finals:
        final = merge(final, env)
    instance: Instance = this.data
    for path, value in (final or {}).items():
        if path.startswith(prefix) and path.count(".") == 1:
            name = path[len(prefix) :]
            stored = frame.owner is not None and name in frame.owner.stored
            if stored or name in instance.attributes:
                old = instance.attributes.get(name)
                fresh = instance.state == "running" or old is None
                instance.attributes[name] = value if fresh else join(old or value, value)


def run_block(machine: Machine, frame: Frame, body: list[ast.stmt]) -> Env | None:
    """Run statements; the environment at the end, or None where the end is not reached."""
    for node in body:
        handler = _HANDLERS.get(type(node))
        if handler is not None and handler(machine, frame, node) is None:
            return None
    return frame.env


def _expression(machine: Machine, frame: Frame, node: ast.Expr) -> Env | None:
    value = evaluate(machine, frame, node.value)
    return None if value.kind == "never" else frame.env


def _assign(machine: Machine, frame: Frame, node: ast.Assign) -> Env:
    value = evaluate(machine, frame, node.value)
    for target in node.targets:
        assign(machine, frame, target, value, node)
    return frame.env


def _annotated(machine: Machine, frame: Frame, node: ast.AnnAssign) -> Env:
    from compilescope.lint.annotations import declared

    if node.value is None:
        return frame.env
    value = evaluate(machine, frame, node.value)
    if value.kind == "unknown":
        value = declared(machine, frame.module, node.annotation)
    assign(machine, frame, node.target, value, node)
    return frame.env


def _augmented(machine: Machine, frame: Frame, node: ast.AugAssign) -> Env:
    load: ast.expr = node.target
    old = evaluate(machine, frame, load)
    right = evaluate(machine, frame, node.value)
    machine.emit(
        "operator", node, frame, value=old, other=right, detail=f"i{type(node.op).__name__}"
    )
    value = binary(old, right, node.op)
    if old.kind == "unknown" and value.kind == "tensor":
        value = UNKNOWN
    assign(machine, frame, node.target, value, node, operator=type(node.op).__name__)
    return frame.env


def _return(machine: Machine, frame: Frame, node: ast.Return) -> None:
    value = evaluate(machine, frame, node.value) if node.value is not None else NONE
    machine.emit("return", node, frame, value=value)
    frame.returns.append(value)
    frame.finals.append(frame.env)


def _raise(machine: Machine, frame: Frame, node: ast.Raise) -> None:
    sink, machine.sink = machine.sink, silent
    try:  # the message of an exception is not built unless it is raised
        if node.exc is not None:
            evaluate(machine, frame, node.exc)
    finally:
        machine.sink = sink


def _if(machine: Machine, frame: Frame, node: ast.If) -> Env | None:
    value = test(machine, frame, node.test, "if")
    known = truth(value)
    before = frame.env
    is_open = known is None and asks_metadata(node.test, value)
    ends = []
    frame.site.open += is_open
    for positive, body in ((True, node.body), (False, node.orelse)):
        if known is not None and known != positive:
            continue
        frame.env = dict(before)
        narrow(machine, frame, node.test, positive)
        rare = known is None and is_rare(node.test, positive)
        rare = rare or (bool(body) and isinstance(body[-1], ast.Raise))  # an error: hardly run
        frame.site.rare += rare
        ends.append(run_block(machine, frame, body) if body else frame.env)
        frame.site.rare -= rare
    frame.site.open -= is_open
    return _meet(frame, ends)


def _meet(frame: Frame, ends: list[Env | None]) -> Env | None:
    result: Env | None = None
    for end in ends:
        result = merge(result, end)
    if result is not None:
        frame.env = result
    return result


def _while(machine: Machine, frame: Frame, node: ast.While) -> Env | None:
    frame.site.loops += 1
    frame.exits.append([])
    before = frame.env
    known: bool | None = None
    for _ in range(2):
        start = dict(frame.env)
        frame.env = dict(start)
        known = truth(test(machine, frame, node.test, "while"))
        if known is False:
            break
        narrow(machine, frame, node.test, True)
        end = run_block(machine, frame, node.body)
        if not _again(frame, start, end):
            break
    frame.site.loops -= 1
    leaves: list[Env | None] = [*frame.exits.pop()]
    if known is not True:
        leaves.append(merge(dict(before), frame.env))
    return _meet(frame, leaves)


def _again(frame: Frame, start: Env, end: Env | None) -> bool:
    """Whether the body brought something that a second round must see."""
    joined: Env = merge(start, end)
    changed = any(start.get(name) != value for name, value in joined.items())
    frame.env = dict(joined)
    return changed


def _for(machine: Machine, frame: Frame, node: ast.For | ast.AsyncFor) -> Env | None:
    source = evaluate(machine, frame, node.iter)
    machine.emit("iterate", node.iter, frame, value=source, detail="for", extra=node)
    frame.site.loops += 1
    frame.exits.append([])
    before = dict(frame.env)
    if not (source.kind == "tuple" and not source.data):
        for _ in range(2):
            start = dict(frame.env)
            frame.env = dict(start)
            assign(machine, frame, node.target, _item_of(source), node)
            if not _again(frame, start, run_block(machine, frame, node.body)):
                break
    frame.site.loops -= 1
    breaks = frame.exits.pop()
    frame.env = merge(before, frame.env)
    end: Env | None = run_block(machine, frame, node.orelse) if node.orelse else frame.env
    return _meet(frame, [end, *breaks])


def _item_of(source: Value) -> Value:
    """What a loop's variable is: one number after the other, where they are written out."""
    written = source.data if source.kind == "tuple" else ()
    numbers = {v.data for v in written if v.kind == "const" and type(v.data) in (int, float)}
    different = len(numbers) > 1 and len(numbers) == len(written)
    return Value("number", "loop") if different else iterated(source)


def silent(_fact: object) -> None:
    """Takes the facts of what runs only when something else fails."""


def _next_round(_machine: Machine, _frame: Frame, _node: ast.AST) -> None:
    """What follows in the body is not reached."""


def _leave_loop(_machine: Machine, frame: Frame, _node: ast.AST) -> None:
    if frame.exits:
        frame.exits[-1].append(dict(frame.env))


def _with(machine: Machine, frame: Frame, node: ast.With | ast.AsyncWith) -> Env | None:
    for item in node.items:
        value = evaluate(machine, frame, item.context_expr)
        machine.emit("with", item.context_expr, frame, value=value, extra=node)
        if item.optional_vars is not None:
            entered = value if value.kind in ("instance", "object") else UNKNOWN
            assign(machine, frame, item.optional_vars, entered, node)
    frame.site.blocks += 1
    end = run_block(machine, frame, node.body)
    frame.site.blocks -= 1
    return end


def _try(machine: Machine, frame: Frame, node: Any) -> Env | None:
    before = dict(frame.env)
    machine.emit("try", node, frame, extra=node)
    frame.site.blocks += 1
    frame.site.guarded += bool(node.handlers)
    catches = frame.site.catches
    types = [n for h in node.handlers if h.type is not None for n in ast.walk(h.type)]
    frame.site.catches = (*catches, *(n.id for n in types if isinstance(n, ast.Name)))
    end = run_block(machine, frame, node.body)
    frame.site.catches = catches
    frame.site.guarded -= bool(node.handlers)
    after = dict(frame.env)
    ends: list[Env | None] = []
    for handler in node.handlers:
        frame.env = merge(dict(before), after)
        if handler.name:
            frame.env[handler.name] = UNKNOWN
        frame.site.rare += 1
        ends.append(run_block(machine, frame, handler.body))
        frame.site.rare -= 1
    frame.site.blocks -= 1
    if end is not None:
        frame.env = end
        end = run_block(machine, frame, node.orelse) if node.orelse else end
    ends.append(end)
    result = _meet(frame, ends)
    if node.finalbody:
        if result is None:
            frame.env = merge(dict(before), after)
        final = run_block(machine, frame, node.finalbody)
        return final if result is not None else None
    return result


def _match(machine: Machine, frame: Frame, node: ast.Match) -> Env | None:
    subject = evaluate(machine, frame, node.subject)
    compared = next((c.pattern for c in node.cases if isinstance(c.pattern, ast.MatchValue)), None)
    if compared is not None:
        machine.emit("branch", compared, frame, value=subject, detail="match")
    before = frame.env
    ends: list[Env | None] = [before]
    for case in node.cases:
        frame.env = dict(before)
        ends.append(run_block(machine, frame, case.body))
    return _meet(frame, ends)


def _assert(machine: Machine, frame: Frame, node: ast.Assert) -> Env | None:
    sink = machine.sink
    value = test(machine, frame, node.test, "")
    message = NONE
    if node.msg is not None:
        machine.sink = silent
        try:  # the message is not built unless the assertion fails
            message = evaluate(machine, frame, node.msg)
        finally:
            machine.sink = sink
    machine.emit("assert", node, frame, value=value, other=message, extra=node.msg)
    if truth(value) is False:
        return None
    narrow(machine, frame, node.test, True)
    return frame.env


def _define(machine: Machine, frame: Frame, node: ast.FunctionDef) -> Env:
    outer = frame.site.function.qualname if frame.site.function is not None else ""
    function = Function(node, frame.module, node.name, None, outer)
    machine.emit("define", node, frame, value=Value("function", function))
    frame.env[node.name] = machine.function_value(function, frame)
    return frame.env


def _class(machine: Machine, frame: Frame, node: ast.ClassDef) -> Env:
    machine.emit("class", node, frame)
    outer = frame.site.function.qualname if frame.site.function is not None else ""
    found = Value("class", define_class(frame.module, node, outer))
    frame.env[node.name] = found
    machine.scopes[found.data] = frame
    if not frame.site.compiled:
        machine.nested.append((found.data, frame))
    return frame.env


def _import(machine: Machine, frame: Frame, node: ast.Import | ast.ImportFrom) -> Env:
    machine.emit("import", node, frame)
    for name, found in imported(node):
        frame.env[name] = machine.imported(frame.module, found)
    return frame.env


def _delete(machine: Machine, frame: Frame, node: ast.Delete) -> Env:
    for target in node.targets:
        path = path_of(target)
        if path:
            forget(frame, path)
            frame.env.pop(path, None)
        elif isinstance(target, ast.Subscript):
            machine.emit("delete-index", node, frame, value=evaluate(machine, frame, target.value))
    return frame.env


_HANDLERS: dict[type, Callable[[Machine, Frame, Any], Env | None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.Break: _leave_loop,
    ast.Continue: _next_round,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Assert: _assert,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Delete: _delete,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = _try
