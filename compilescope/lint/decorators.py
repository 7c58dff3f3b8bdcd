"""What decorators make of a function: compiled, kept out of the compiler, or nothing special."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.values import UNKNOWN, Value

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame
    from compilescope.lint.index import Function
    from compilescope.lint.machine import Machine

COMPILE = frozenset(("torch.compile", "torch._dynamo.optimize", "torch.compiler.compile"))
DISABLED = frozenset(
    """
    torch.compiler.disable torch._dynamo.disable torch._dynamo.decorators.disable
    torch.compiler.allow_in_graph torch._dynamo.allow_in_graph torch.compiler.nonstrict_trace
    torch.jit.unused torch.library.custom_op torch.library.register_fake
    torch.library.triton_op triton.jit triton.autotune numba.jit numba.njit torch.jit.export
    torch._dynamo.nonstrict_trace torch.compiler.assume_constant_result
    torch._dynamo.assume_constant_result
    """.split()
)
LEAVES_GRAPH = frozenset(
    ("torch.compiler.disable", "torch._dynamo.disable", "torch._dynamo.decorators.disable")
)
CACHES = frozenset(("functools.lru_cache", "functools.cache"))


def decorated(machine: Machine, frame: Frame, function: Function, value: Value) -> Value:
    """The value that the name of a decorated function has."""
    from compilescope.lint.expressions import evaluate

    result = value
    for node in reversed(function.decorators):
        call = node if isinstance(node, ast.Call) else None
        head = evaluate(machine, frame, call.func if call else node)
        name = head.data if head.kind == "library" else ""
        if name in COMPILE:
            result = Value("compiled", result, options(call))
            machine.roots.append((result, frame.site))
        elif name in DISABLED:
            result = Value("opaque", result, name)
        elif name in CACHES:
            result = Value("cached", result, name)
        elif name in ("builtins.property", "functools.cached_property", "abc.abstractproperty"):
            result = Value("property", result, name)
        elif name in ("builtins.staticmethod", "builtins.classmethod"):
            result = Value(name.rpartition(".")[2], result)
        elif name == "contextlib.contextmanager":
            result = Value("opaque", result, name)
        elif head.kind == "function":
            result = _wrapped(machine, frame, head, call, result)
    return result


def _wrapped(
    machine: Machine, frame: Frame, head: Value, call: ast.Call | None, value: Value
) -> Value:
    """What a decorator of the tree makes of a function, where it returns a wrapper."""
    from compilescope.lint.calls import passed
    from compilescope.lint.frames import Arguments, Closure

    decorator = head.data.function if isinstance(head.data, Closure) else head.data
    if not decorator.wraps or value.kind != "function":
        return value
    if call is not None:
        head = machine.call(head, passed(machine, frame, call), frame.site, head.note)
    if head.kind != "function":
        return value
    result = machine.call(head, Arguments((value,)), frame.site, head.note)
    if result.kind == "union":
        kept = [v for v in result.data if v.kind == "function" and v != value]
        result = kept[0] if len(kept) == 1 else value
    return result if result.kind == "function" else value


def options(call: ast.Call | None) -> tuple[tuple[str, object], ...]:
    """The constant keywords of a torch.compile call."""
    if call is None:
        return ()
    return tuple(
        (k.arg, k.value.value) for k in call.keywords if k.arg and isinstance(k.value, ast.Constant)
    )


def unwrapped(value: Value) -> Value:
    """The function under caches and descriptors."""
    while value.kind in ("cached", "property", "staticmethod", "classmethod", "opaque"):
        value = value.data
    return value if value.kind in ("function", "compiled") else UNKNOWN
