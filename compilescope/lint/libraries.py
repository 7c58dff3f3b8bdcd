"""What functions, methods and modules outside the tree give back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.operators import iterated
from compilescope.lint.tensor_results import (
    tensor_method,
)
from compilescope.lint.torch_calls import call_torch
from compilescope.lint.values import (
    BOOLEAN,
    FALSE,
    NDARRAY,
    NONE,
    NUMBER,
    STRING,
    TRUE,
    UNKNOWN,
    Value,
    join,
    list_of,
    tensor,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.machine import Machine

_RUNTIME_FALSE = frozenset(
    """
    torch.jit.is_scripting torch.jit.is_tracing torch._C._get_tracing_state
    torch.onnx.is_in_onnx_export torch.compiler.is_exporting torch.fx._symbolic_trace.is_fx_tracing
    torch._C._is_tracing torch.jit._trace.is_tracing
    """.split()
)
_COMPILING = frozenset(
    """
    torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._dynamo.is_compiling
    torch._utils.is_compiling torch._dynamo.external_utils.is_compiling
    """.split()
)


def call_library(
    machine: Machine, frame: Frame, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    """Call a function or class by its dotted name."""
    if name in ("dataclasses.asdict", "dataclasses.astuple", "copy.deepcopy"):
        _ready(machine, arguments)
    machine.emit(
        f"call:{name}",
        node,
        frame,
        arguments=arguments.positional,
        keywords=arguments.keywords,
        extra=frame,
    )
    if name.startswith("builtins."):
        from compilescope.lint.builtin_functions import call_builtin

        return call_builtin(machine, frame, name[9:], arguments, node)
    if name in _COMPILING:
        return TRUE if frame.site.compiled else FALSE
    if name in _RUNTIME_FALSE:
        return FALSE
    if name.startswith("torch"):
        return call_torch(machine, frame, name, arguments, node)
    top = name.partition(".")[0]
    machine.emit(
        f"package:{top}",
        node,
        frame,
        detail=name,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    if top == "math":
        return (
            BOOLEAN if name in ("math.isnan", "math.isinf", "math.isclose") else _number(arguments)
        )
    if top == "einops":
        return tensor("", 0) if name.rpartition(".")[2] in _EINOPS else UNKNOWN
    if name in ("os.environ.get", "os.getenv"):
        return _environment(frame, arguments)
    return _call_numpy(name, arguments) if top == "numpy" else _call_other(frame, name, arguments)


def _ready(machine: Machine, arguments: Arguments) -> None:
    """Objects whose attributes the rules will look at."""
    from compilescope.lint.instances import ensure_ready

    for value in arguments.positional:
        if value.kind == "instance":
            ensure_ready(machine, value.data)


_EINOPS = frozenset("rearrange repeat reduce einsum pack".split())


def _number(arguments: Arguments) -> Value:
    numbers = [v for v in arguments.positional if v.kind == "number"]
    for origin in ("state", "shape", "item"):
        if any(n.data == origin for n in numbers):
            return Value("number", origin)
    return NUMBER


def _call_other(frame: Frame, name: str, arguments: Arguments) -> Value:
    last = name.rpartition(".")[2]
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if name in _OTHER_VALUES:
        return _OTHER_VALUES[name]
    if last in ("getLogger", "get_logger", "deque"):
        return _deque(arguments) if last == "deque" else Value("object", "logging.Logger")
    if last in ("is_torchdynamo_compiling", "is_compiling"):
        return TRUE if frame.site.compiled else FALSE
    if name == "functools.partial":
        return _partial(arguments)
    if name in ("functools.reduce", "typing.cast"):
        second = arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN
        return iterated(second) if name == "functools.reduce" else second
    if name in ("copy.deepcopy", "copy.copy"):
        return first
    if name == "itertools.chain":
        return list_of(iterated(first))
    if name in _DRAWN:
        return Value("number", "random" if last == "random" else "drawn")
    if name.startswith(("random.", "time.")):
        return UNKNOWN  # the call ends the graph: what it gives is a constant of the next one
    return Value("object", name) if last[:1].isupper() else UNKNOWN


def _deque(arguments: Arguments) -> Value:
    fixed = len(arguments.positional) > 1 or "maxlen" in arguments.keywords
    name = "deque of a fixed length" if fixed else "deque"
    first = arguments.positional[0] if arguments.positional else tuple_of(())
    return list_of(iterated(first), name) if first != tuple_of(()) else tuple_of((), name)


def _environment(frame: Frame, arguments: Arguments) -> Value:
    """Settings are read beforehand as if nobody had set them."""
    if frame.site.compiled:
        return join(STRING, NONE)
    return arguments.positional[1] if len(arguments.positional) > 1 else NONE


# What draws inside the graph; `random.random` does from torch 2.14 on.
_DRAWN = frozenset(("random.random", "random.uniform", "random.randint", "random.randrange"))
_OTHER_VALUES = {
    "contextlib.nullcontext": Value("object", "contextlib.nullcontext"),
    "collections.OrderedDict": Value("dict", (), UNKNOWN),
    "collections.defaultdict": Value("dict", (), UNKNOWN),
}


def _partial(arguments: Arguments) -> Value:
    if not arguments.positional:
        return UNKNOWN
    function = arguments.positional[0]
    if function.kind == "library" and len(arguments.positional) == 1:
        return function
    return (
        function
        if function.kind in ("class", "function") and not (arguments.positional[1:])
        else UNKNOWN
    )


def _call_numpy(name: str, arguments: Arguments) -> Value:
    last = name.rpartition(".")[2]
    first = arguments.positional[0] if arguments.positional else NONE
    if last in _ARRAYS:
        return NDARRAY
    if name.startswith("numpy.random.") and ("size" in arguments.keywords or last == "permutation"):
        return NDARRAY
    if first.kind == "ndarray":
        return NDARRAY
    if last in _NUMPY_REDUCTIONS and first.kind in ("list", "tuple", "size"):
        return NDARRAY
    return NUMBER if first.kind in ("number", "const") else UNKNOWN


_ARRAYS = frozenset("array asarray arange zeros ones full linspace concatenate stack empty".split())
_NUMPY_REDUCTIONS = frozenset("sum prod any all max min mean std cumsum".split())


def call_method(
    machine: Machine,
    frame: Frame,
    base: Value,
    name: str,
    arguments: Arguments,
    node: ast.AST,
) -> Value:
    """Call a method of something outside the tree."""
    if base.kind == "tensor":
        machine.emit(
            f"call:torch.Tensor.{name}",
            node,
            frame,
            value=base,
            arguments=arguments.positional,
            keywords=arguments.keywords,
        )
        return tensor_method(base, name, arguments)
    if base.kind == "object":
        from compilescope.lint.objects import object_method

        return object_method(machine, frame, base, name, arguments, node)
    if base.kind == "instance":
        from compilescope.lint.objects import module_method

        return module_method(machine, frame, base, name, arguments, node)
    if base.kind == "ndarray":
        machine.emit(
            f"call:numpy.ndarray.{name}", node, frame, value=base, arguments=arguments.positional
        )
        return UNKNOWN if name in ("item", "tolist") else NDARRAY
    from compilescope.lint.builtin_functions import container_method

    machine.emit(
        f"call:builtins.{base.note if base.kind in ('list', 'tuple') else base.kind}.{name}",
        node,
        frame,
        value=base,
        arguments=arguments.positional,
    )
    return container_method(base, name, arguments)
