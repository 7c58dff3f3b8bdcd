"""Calls of torch functions, and of the modules of torch.nn."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.lint.attributes import torch_function_kind
from compilescope.lint.operators import iterated
from compilescope.lint.tensor_results import (
    SIMPLE,
    result_dtype,
    result_flags,
    several,
    tensor_method,
    varies,
)
from compilescope.lint.torch_table import MODULES
from compilescope.lint.values import (
    BOOLEAN,
    DEVICE,
    DTYPE,
    NONE,
    NUMBER,
    PARAMETER,
    SCALAR,
    SHAPE_NUMBER,
    SIZE,
    UNKNOWN,
    Value,
    join,
    list_of,
    tensor,
    tensor_part,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.machine import Machine


def call_torch(
    machine: Machine, frame: Frame, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    """What a function or class of torch gives."""
    if name in ("torch.compile", "torch._dynamo.optimize"):
        from compilescope.lint.compiling import call_compile

        return call_compile(machine, frame, arguments, node)
    for package in _PACKAGES:
        if name.startswith(f"{package}."):
            machine.emit(
                f"package:{package}", node, frame, detail=name, keywords=arguments.keywords
            )
    if name == "torch.utils.checkpoint.checkpoint" and arguments.positional:
        return _checkpoint(machine, frame, arguments, node)
    last = name.rpartition(".")[2]
    if name in _TORCH_VALUES:
        return _TORCH_VALUES[name]
    if name.startswith("torch.nn.") and last in MODULES and "functional" not in name:
        return _module(name, last, arguments)
    if name.startswith("torch.Tensor.") and arguments.positional:
        base = tensor_part(arguments.positional[0])
        rest = replace(arguments, positional=arguments.positional[1:])
        return tensor_method(base, last, rest) if base is not None else UNKNOWN
    found = _by_table(name, last, arguments)
    if found.kind == "unknown" and last[:1].isupper():
        return Value("object", name)
    return found


_PACKAGES = ("torch.distributions", "torch.optim.lr_scheduler")


def _by_table(name: str, last: str, arguments: Arguments) -> Value:
    """What the stubs say."""
    if name in _LEGACY:
        return tensor(_LEGACY[name])
    kind = torch_function_kind(name)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind == "varies" or last in ("unique", "unique_consecutive"):
        return varies(last, arguments, None)
    if kind not in ("tensor", "tensors"):
        return UNKNOWN
    one = tensor(result_dtype(last, arguments, None), result_flags(last, arguments))
    return one if kind == "tensor" else several(last, one)


def _checkpoint(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    from compilescope.lint.calls import call_value
    from compilescope.lint.frames import Arguments as Passed

    ignored = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    keywords = {k: v for k, v in arguments.keywords.items() if k not in ignored}
    inner = Passed(arguments.positional[1:], keywords, arguments.open)
    return call_value(machine, frame, arguments.positional[0], inner, node)


_LEGACY = {
    "torch.FloatTensor": "float",
    "torch.LongTensor": "int",
    "torch.IntTensor": "int",
    "torch.BoolTensor": "bool",
    "torch.Tensor": "float",
    "torch.cuda.FloatTensor": "float",
    "torch.cuda.LongTensor": "int",
}


_TORCH_VALUES = {
    "torch.device": DEVICE,
    "torch.Size": SIZE,
    "torch.is_tensor": BOOLEAN,
    "torch.is_grad_enabled": Value("number", "mode"),
    "torch.is_floating_point": BOOLEAN,
    "torch.is_complex": BOOLEAN,
    "torch.is_autocast_enabled": BOOLEAN,
    "torch.numel": SHAPE_NUMBER,
    "torch.broadcast_shapes": SIZE,
    "torch.get_default_dtype": DTYPE,
    "torch.promote_types": DTYPE,
    "torch.result_type": DTYPE,
    "torch.finfo": Value("object", "torch.finfo"),
    "torch.iinfo": Value("object", "torch.iinfo"),
    "torch.equal": BOOLEAN,
    "torch.allclose": BOOLEAN,
    "torch.is_nonzero": BOOLEAN,
    "torch.Generator": Value("object", "torch.Generator"),
    "torch.cuda.is_available": BOOLEAN,
    "torch.autograd.grad": list_of(tensor("float"), "tuple"),
    "torch.nn.utils.clip_grad_norm_": tensor("float", SCALAR),
    "torch.cond": tensor(""),
    "torch.func.grad": UNKNOWN,
    "torch.distributed.get_rank": NUMBER,
    "torch.distributed.get_world_size": NUMBER,
    "torch.distributed.is_initialized": BOOLEAN,
    "torch.nn.functional._in_projection_packed": list_of(tensor("")),
    "torch.nn.functional._verify_batch_size": NONE,
    "torch.nn.Parameter": tensor("float", PARAMETER),
    "torch.nn.Buffer": tensor(""),
}


def _module(name: str, last: str, arguments: Arguments) -> Value:
    if last in ("Sequential", "ModuleList", "ParameterList"):
        positional = arguments.positional
        if last != "Sequential" and len(positional) == 1:
            return Value("object", name, list_of(iterated(positional[0])))
        if arguments.open:
            return Value("object", name, None)
        return Value("object", name, tuple_of(positional))
    if last in ("ModuleDict", "ParameterDict"):
        first = arguments.positional[0] if arguments.positional else None
        values = [v for _, v in first.data] if first is not None and first.kind == "dict" else []
        if first is not None and first.kind == "dict" and first.note is not None:
            values.append(first.note)
        return Value("object", name, tuple_of(values))
    constants = tuple(
        (k, v.data)
        for k, v in arguments.keywords.items()
        if v.kind == "const" and isinstance(v.data, bool | str | None | int | float)
    )
    return Value("object", name, constants or None) if last in _REMEMBER else Value("object", name)


_REMEMBER = frozenset("BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm".split())


def call_object(
    machine: Machine, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST
) -> Value:
    """Call an instance of a class outside the tree: mostly a module of torch.nn."""
    name: str = callee.data
    machine.emit(
        f"call:{name}.__call__",
        node,
        frame,
        value=callee,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    last = name.rpartition(".")[2]
    if not name.startswith("torch.nn.") or last not in MODULES:
        return UNKNOWN
    if last == "Sequential" and callee.note is not None:
        return _sequential(machine, frame, callee.note, arguments, node)
    out = tensor("float")
    if last == "LSTM":
        return tuple_of((out, tuple_of((out, out))))
    if last in ("GRU", "RNN"):
        return tuple_of((out, out))
    if last == "LSTMCell":
        return tuple_of((out, out))
    if last == "MultiheadAttention":
        return tuple_of((out, join(out, NONE)))
    if last in ("Identity", "Dropout", "Flatten", "Unflatten") and arguments.positional:
        return arguments.positional[0]
    return UNKNOWN if last in ("Module", "ModuleList", "ModuleDict") else out


def _sequential(
    machine: Machine, frame: Frame, inner: Value, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.calls import call_value
    from compilescope.lint.frames import Arguments as Passed

    if inner.kind == "list":
        return call_value(machine, frame, inner.data, arguments, node)
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    for stage in inner.data:
        value = call_value(machine, frame, stage, Passed((value,)), node)
    return value
