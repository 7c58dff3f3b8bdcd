"""Calls: who is called, with what, and what comes back."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.lint.expressions import evaluate, path_of
from compilescope.lint.frames import Arguments, Frame
from compilescope.lint.index import Function
from compilescope.lint.machine import Machine, tells_compiling
from compilescope.lint.operators import iterated
from compilescope.lint.rule import Site
from compilescope.lint.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Value,
    alternatives,
    element,
    join,
    join_all,
    list_of,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Instance


def call(machine: Machine, frame: Frame, node: ast.Call) -> Value:
    """The kind that a call gives."""
    callee = evaluate(machine, frame, node.func)
    if callee.kind in ("library", "method") and _reported_whole(callee):
        quiet, machine.quiet = machine.quiet, True
        arguments = passed(machine, frame, node)
        machine.quiet = quiet
    else:
        arguments = passed(machine, frame, node)
    result = call_value(machine, frame, callee, arguments, node)
    if isinstance(node.func, ast.Attribute) and callee.kind == "method":
        _mutate(machine, frame, node, callee, arguments)
    return result


def _reported_whole(callee: Value) -> bool:
    """Printing and logging break by themselves; the text they build is not a second finding."""
    if callee.kind == "method":
        return bool(callee.data == Value("object", "logging.Logger"))
    return callee.data in ("builtins.print", "warnings.warn") or callee.data.startswith("logging.")


def passed(machine: Machine, frame: Frame, node: ast.Call) -> Arguments:
    """The arguments of a call."""
    positional: list[Value] = []
    is_open = False
    for item in node.args:
        if isinstance(item, ast.Starred):
            inner = evaluate(machine, frame, item.value)
            if inner.kind == "tuple":
                positional.extend(inner.data)
            else:
                is_open = True
        elif not is_open:
            positional.append(evaluate(machine, frame, item))
        else:
            evaluate(machine, frame, item)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(machine, frame, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif value.kind == "dict":
            keywords.update((k, v) for k, v in value.data if isinstance(k, str))
            is_open = is_open or value.note is not None
        else:
            is_open = True
    return Arguments(tuple(positional), keywords, is_open)


def call_value(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    """Call a value."""
    if callee.kind == "union":
        found = [
            call_value(machine, frame, v, arguments, node)
            for v in alternatives(callee)
            if v != NONE
        ]
        known = [v for v in found if v.kind != "unknown"]
        return join_all(known) if known else UNKNOWN
    handler = _CALLERS.get(callee.kind)
    return handler(machine, frame, callee, arguments, node) if handler else UNKNOWN


def _function(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, _node: ast.AST
) -> Value:
    result = machine.call(callee, arguments, frame.site, callee.note)
    if callee.note is not None and frame.this in frame.heads:
        _drop_stored(frame, callee)
    return result


def _drop_stored(frame: Frame, callee: Value) -> None:
    """Attributes of the same object that a method has assigned are not what they were."""
    if isinstance(callee.data, Function) and callee.note == frame.env.get(frame.this):
        for name in callee.data.stored:
            frame.env.pop(f"{frame.this}.{name}", None)


def _method(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.libraries import call_method

    return call_method(machine, frame, callee.data, callee.note, arguments, node)


def _library(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.libraries import call_library

    return call_library(machine, frame, callee.data, arguments, node)


def _object(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.torch_calls import call_object

    return call_object(machine, frame, callee, arguments, node)


def _class(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    machine.emit(
        "construct",
        node,
        frame,
        value=callee,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    value = machine.instance(callee.data, arguments)
    if frame.site.loops or frame.outer is not None:
        value.data.repeated = True
    return Value("instance", value.data, "fresh") if frame.site.compiled else value


def _instance(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.instances import bind_method, ensure_ready, method_value

    instance: Instance = callee.data
    site = frame.site
    ensure_ready(machine, instance)
    if instance.compiled is not None and not site.compiled:
        site = compiled_site(site, instance.compiled)
        machine.emit(
            "compiled-call",
            node,
            frame,
            value=callee,
            arguments=arguments.positional,
            keywords=arguments.keywords,
        )
    for name in ("__call__", "forward"):
        for found in machine.mro(instance.owner)[0]:
            if name in found.methods:
                bound = bind_method(
                    machine, frame, method_value(machine, found.methods[name]), callee, node
                )
                inner = Frame(frame.module, site, frame.env, frame.outer, frame.this, frame.owner)
                return call_value(machine, inner, bound, arguments, node)
    if machine.is_module(instance.owner):
        from compilescope.lint.torch_calls import call_object

        for name in machine.mro(instance.owner)[1]:
            if name.startswith("torch.nn."):
                return call_object(machine, frame, Value("object", name), arguments, node)
    return UNKNOWN


def compiled_site(site: Site, options: tuple[tuple[str, object], ...]) -> Site:
    """The surroundings of code that runs compiled."""
    return replace(
        site,
        compiled=True,
        fullgraph=dict(options).get("fullgraph") is True,
        loops=0,
        blocks=0,
        guarded=0,
        init=False,
        entering=True,
    )


def _compiled(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    machine.emit(
        "compiled-call",
        node,
        frame,
        value=callee,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    site = frame.site if frame.site.compiled else compiled_site(frame.site, callee.note or ())
    if callee.data.kind == "method":
        site = frame.site  # a method of a library object is compiled as a whole
    inner = Frame(frame.module, site, frame.env, frame.outer, frame.this, frame.owner)
    return call_value(machine, inner, callee.data, arguments, node)


def _cached(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    result = call_value(machine, frame, callee.data, arguments, node)
    machine.emit("cached-call", node, frame, value=callee, other=result)
    return result


def _opaque(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    machine.emit(f"call:{callee.note}()", node, frame, value=callee, arguments=arguments.positional)
    site = replace(frame.site, compiled=False)
    inner = Frame(frame.module, site, frame.env, frame.outer, frame.this, frame.owner)
    if callee.note == "contextlib.contextmanager":
        inner = Frame(frame.module, frame.site, frame.env, frame.outer, frame.this, frame.owner)
    result = call_value(machine, inner, callee.data, arguments, node)
    return TRUE if frame.site.compiled and tells_compiling(callee.data) else result


def _apply(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    """An autograd.Function: its forward and its backward are traced."""
    from compilescope.lint.values import TENSOR

    machine.emit("apply", node, frame, value=callee, arguments=arguments.positional)
    methods = callee.data.methods
    result = UNKNOWN
    context = () if "setup_context" in methods else (UNKNOWN,)
    if "forward" in methods:
        inner = Arguments((*context, *arguments.positional), arguments.keywords, arguments.open)
        result = machine.call(Value("function", methods["forward"]), inner, frame.site)
    if "backward" in methods:
        machine.call(
            Value("function", methods["backward"]), Arguments((UNKNOWN, TENSOR)), frame.site
        )
    return TENSOR if result.kind == "unknown" else result


_CALLERS = {
    "function": _function,
    "method": _method,
    "library": _library,
    "object": _object,
    "class": _class,
    "instance": _instance,
    "compiled": _compiled,
    "cached": _cached,
    "opaque": _opaque,
    "apply": _apply,
}


def persists(frame: Frame, node: ast.expr) -> bool:
    """Whether a container was there before the function was called."""
    path = path_of(node)
    if not path or path in frame.env:
        return False
    scope: Frame | None = frame
    name = path.partition(".")[0]
    while scope is not None:
        if name in scope.env:
            return "." in path and scope.env[name].note != "fresh"
        scope = scope.outer
    return True


_GROW = frozenset(("append", "appendleft", "insert", "extend", "add", "update", "setdefault"))
_SHRINK = frozenset(("pop", "popleft", "clear", "remove", "popitem", "discard"))


def _mutate(
    machine: Machine, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments
) -> None:
    """A container that a method changes."""
    base, name = callee.data, callee.note
    assert isinstance(node.func, ast.Attribute)
    if name in _GROW | _SHRINK and base.kind in ("list", "tuple", "dict", "object"):
        machine.emit(
            "mutate",
            node,
            frame,
            value=base,
            detail=name,
            arguments=arguments.positional,
            keywords=arguments.keywords,
            extra=(node.func.value, persists(frame, node.func.value)),
        )
    path = path_of(node.func.value)
    if not path or name not in _GROW or not arguments.positional:
        return
    added = arguments.positional[-1]
    if name in ("extend", "update"):
        added = iterated(added)
    if base.kind in ("list", "tuple"):
        empty = base.kind == "tuple" and not base.data
        if empty and name == "append" and not frame.site.loops:
            frame.keep(path, tuple_of((added,), "list"))
        else:
            frame.keep(path, list_of(added if empty else join(element(base), added), base.note))
    elif base.kind == "object" and base.data.startswith("torch.nn."):
        note = base.note if base.note is not None else tuple_of(())
        empty = note.kind == "tuple" and not note.data
        inner = added if empty else join(element(note), added)
        frame.keep(path, Value("object", base.data, list_of(inner)))
