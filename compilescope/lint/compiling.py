"""torch.compile: which callables it is given, and with which options."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.values import Value

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.machine import Machine

Options = tuple[tuple[str, object], ...]


def options_of(arguments: Arguments) -> Options:
    """The constant options of a compile call."""
    return tuple(sorted((k, v.data) for k, v in arguments.keywords.items() if v.kind == "const"))


def call_compile(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    """What torch.compile gives: the callable, marked."""
    options = options_of(arguments)
    given = arguments.positional[:1] or tuple(
        v for k, v in arguments.keywords.items() if k == "model"
    )
    if not given:
        return Value("compiler", options)
    return compiled(machine, frame, given[0], options, node)


def compiled(
    machine: Machine, frame: Frame, value: Value, options: Options, node: ast.AST
) -> Value:
    """Mark a callable as compiled and remember it as a root."""
    machine.emit("compile", node, frame, value=value, detail="torch.compile")
    if value.kind == "compiled":
        return value
    result = Value("compiled", value, options)
    if value.kind != "unknown":
        machine.roots.append((result, frame.site))
    return result
