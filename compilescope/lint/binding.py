"""Arguments to parameters: what a call passes, what annotations and defaults say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.evidence import evidence
from compilescope.lint.frames import passed
from compilescope.lint.rule import Site
from compilescope.lint.values import (
    NONE,
    UNKNOWN,
    Value,
    join,
    join_all,
    list_of,
    may_be_tensor,
    tuple_of,
    widened,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.index import Function
    from compilescope.lint.machine import Machine


def bind(
    machine: Machine,
    function: Function,
    arguments: Arguments,
    bound: Value | None,
    outer: Frame | None,
) -> dict[str, Value]:
    """The parameters of a function with the kinds that a call gives them."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = ((bound,) if bound is not None else ()) + arguments.positional
    env = dict(zip(names, map(passed, given), strict=False))
    if spec.vararg:
        rest = given[len(names) :]
        env[spec.vararg.arg] = list_of(UNKNOWN, "tuple") if arguments.open else tuple_of(rest)
    extra = []
    known = {*names, *(a.arg for a in spec.kwonlyargs)}
    for name, value in arguments.keywords.items():
        if name in known:
            env[name] = passed(value)
        else:
            extra.append((name, value))
    if spec.kwarg:
        items = tuple(extra)
        env[spec.kwarg.arg] = Value("dict", items, UNKNOWN if arguments.open else None)
    _fill(machine, function, env, arguments.open, outer)
    return env


def _fill(
    machine: Machine,
    function: Function,
    env: dict[str, Value],
    is_open: bool,
    outer: Frame | None,
) -> None:
    """Parameters that the call left out, and those it passed something unknown for."""
    for name, annotation, default in function.parameters:
        value = env.get(name)
        if value is not None and value.kind != "unknown":
            continue
        declared = annotated(machine, function, annotation)
        if default is not None and may_be_tensor(declared):
            declared = with_default(declared, evaluate_default(machine, function, default, outer))
        if value is None and default is not None and not is_open:
            env[name] = evaluate_default(machine, function, default, outer)
        elif declared.kind != "unknown":
            env[name] = declared
        elif annotation is None:
            env[name] = assumed(machine, function, name, default, outer)
        else:
            env[name] = UNKNOWN


def generic(machine: Machine, function: Function, outer: Frame | None = None) -> dict[str, Value]:
    """Parameters of a function that nothing in the tree calls."""
    env = {}
    spec = function.node.args
    for name, annotation, default in function.parameters:
        declared = annotated(machine, function, annotation)
        if declared.kind != "unknown":
            if default is not None:
                declared = with_default(
                    declared, evaluate_default(machine, function, default, outer)
                )
            env[name] = declared
        elif annotation is None:
            env[name] = assumed(machine, function, name, default, outer)
        else:
            env[name] = UNKNOWN
    if spec.vararg:
        env[spec.vararg.arg] = list_of(
            annotated(machine, function, spec.vararg.annotation), "tuple"
        )
    if spec.kwarg:
        env[spec.kwarg.arg] = UNKNOWN
    return env


def with_default(declared: Value, default: Value) -> Value:
    """An annotation and a default that may contradict it."""
    if default == NONE:
        return join(declared, NONE)
    if may_be_tensor(declared) and not may_be_tensor(default):
        return UNKNOWN
    return declared


def annotated(machine: Machine, function: Function, annotation: ast.expr | None) -> Value:
    """The kind that an annotation declares."""
    if annotation is None:
        return UNKNOWN
    from compilescope.lint.annotations import declared

    return declared(machine, function.module, annotation)


def evaluate_default(
    machine: Machine, function: Function, default: ast.expr, outer: Frame | None
) -> Value:
    """A parameter's default."""
    from compilescope.lint.expressions import evaluate
    from compilescope.lint.frames import Frame

    return evaluate(
        machine, Frame(function.module, Site(function.module, init=True), {}, outer), default
    )


def assumed(
    machine: Machine,
    function: Function,
    name: str,
    default: ast.expr | None,
    outer: Frame | None,
) -> Value:
    """A parameter that nothing declares: what its uses in the body show."""
    value = widened(evaluate_default(machine, function, default, outer)) if default else None
    if value is not None and value != NONE:
        return value
    shown = evidence(function, name)
    if value == NONE and shown.kind != "unknown":
        return join_all((shown, NONE))
    return shown
