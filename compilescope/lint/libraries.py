"""What functions, methods and modules outside the tree give back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.attributes import torch_function_kind
from compilescope.lint.expressions import iterated
from compilescope.lint.torch_table import METHODS, MODULES
from compilescope.lint.values import (
    ASSUMED,
    BOOLEAN,
    DECLARED,
    DEVICE,
    DTYPE,
    FALSE,
    NDARRAY,
    NONE,
    NUMBER,
    PARAMETER,
    SCALAR,
    SHAPE_NUMBER,
    SIZE,
    STRING,
    TRUE,
    UNKNOWN,
    VECTOR,
    Value,
    alternatives,
    join,
    list_of,
    tensor,
    tensor_part,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.machine import Arguments, Frame, Machine

_SIMPLE = {
    "bool": BOOLEAN,
    "number": NUMBER,
    "size": SIZE,
    "dtype": DTYPE,
    "device": DEVICE,
    "string": STRING,
    "none": NONE,
    "layout": Value("layout"),
}
_BOOL_RESULT = frozenset(
    """
    eq ne lt le gt ge isnan isinf isfinite isposinf isneginf isreal isin isclose logical_and
    logical_or logical_not logical_xor less greater less_equal greater_equal not_equal all any
    signbit bool
    """.split()
)
_INT_RESULT = frozenset(
    """
    argmax argmin argsort nonzero argwhere searchsorted bucketize bincount long int short
    count_nonzero randint randperm multinomial tril_indices triu_indices
    """.split()
)
_SAME_DTYPE = frozenset(
    """
    view reshape flatten squeeze unsqueeze transpose permute expand expand_as contiguous clone
    detach cuda cpu flip roll repeat repeat_interleave t movedim swapaxes unflatten view_as
    narrow select index_select gather masked_select masked_fill masked_fill_ clamp chunk split
    unbind take_along_dim tile ravel tril triu cat concat stack max min amax amin fill_ scatter
    scatter_ where pad zeros_like ones_like full_like empty_like broadcast_to logical_or_
    logical_and_ bitwise_or bitwise_and bitwise_not scatter_add index_add index_fill unfold diag
    diagonal rot90 atleast_1d atleast_2d hstack vstack cumsum cumprod sort unique roll
    pin_memory requires_grad_ new_zeros new_ones new_full new_empty
    """.split()
)
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
        return _call_torch(machine, frame, name, arguments, node)
    top = name.partition(".")[0]
    machine.emit(
        f"package:{top}",
        node,
        frame,
        detail=name,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    if top == "numpy":
        return _call_numpy(name, arguments)
    if top == "math":
        return (
            BOOLEAN if name in ("math.isnan", "math.isinf", "math.isclose") else _number(arguments)
        )
    if top == "einops":
        return tensor("", 0) if name.rpartition(".")[2] in _EINOPS else UNKNOWN
    return _call_other(machine, frame, name, arguments, node)


def _ready(machine: Machine, arguments: Arguments) -> None:
    """Objects whose attributes the rules will look at."""
    from compilescope.lint.attributes import ensure_ready

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


def _call_other(
    machine: Machine, frame: Frame, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.calls import call_value

    last = name.rpartition(".")[2]
    if last == "getLogger" or last == "get_logger":
        return Value("object", "logging.Logger")
    if last in ("is_torchdynamo_compiling", "is_compiling"):
        return TRUE if frame.site.compiled else FALSE
    if name == "functools.partial" and arguments.positional:
        return _partial(arguments)
    if name == "functools.reduce" and len(arguments.positional) > 1:
        return iterated(arguments.positional[1])
    if name == "copy.deepcopy" or name == "copy.copy":
        return arguments.positional[0] if arguments.positional else UNKNOWN
    if name == "itertools.chain":
        return list_of(iterated(arguments.positional[0])) if arguments.positional else UNKNOWN
    if name in ("typing.cast",) and len(arguments.positional) == 2:
        return arguments.positional[1]
    if name.startswith(("random.", "time.")):
        return Value("number", "random")
    if name == "os.environ.get" or name == "os.getenv":
        return join(STRING, NONE)
    if name == "contextlib.nullcontext":
        return Value("object", name)
    if name == "collections.OrderedDict" or name == "collections.defaultdict":
        return Value("dict", (), UNKNOWN)
    if last[:1].isupper():
        return Value("object", name)
    del machine, call_value, node
    return UNKNOWN


def _partial(arguments: Arguments) -> Value:
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


def _call_torch(
    machine: Machine, frame: Frame, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    from compilescope.lint.compiling import call_compile

    if name in ("torch.compile", "torch._dynamo.optimize"):
        return call_compile(machine, frame, arguments, node)
    if name.startswith("torch.distributions."):
        machine.emit(
            "package:torch.distributions",
            node,
            frame,
            detail=name,
            arguments=arguments.positional,
            keywords=arguments.keywords,
        )
    if name.startswith("torch.optim.lr_scheduler."):
        machine.emit("package:torch.optim.lr_scheduler", node, frame, detail=name)
    last = name.rpartition(".")[2]
    if name in _TORCH_VALUES:
        return _TORCH_VALUES[name]
    if name.startswith("torch.nn.") and last in MODULES and "functional" not in name:
        return _module(name, last, arguments)
    if name in ("torch.nn.Parameter", "torch.nn.Buffer"):
        return tensor("float", PARAMETER)
    if name.startswith("torch.Tensor."):
        if arguments.positional and arguments.positional[0].kind == "tensor":
            from dataclasses import replace as change

            rest = change(arguments, positional=arguments.positional[1:])
            return _tensor_method(arguments.positional[0], last, rest)
    if name in _LEGACY:
        return tensor(_LEGACY[name])
    kind = torch_function_kind(name)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind == "varies":
        return _varies(last, arguments, None)
    if kind == "tensor":
        return tensor(_dtype(last, arguments, None), _flags(last, arguments))
    if kind == "tensors":
        return _several(
            last, tensor(_dtype(last, arguments, None), _flags(last, arguments)), arguments
        )
    if name == "torch.utils.checkpoint.checkpoint" and arguments.positional:
        return _checkpoint(machine, frame, arguments, node)
    if last[:1].isupper():
        return Value("object", name)
    return UNKNOWN


def _checkpoint(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    from compilescope.lint.calls import call_value
    from compilescope.lint.machine import Arguments as Passed

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


def _flags(name: str, arguments: Arguments) -> int:
    flags = 0
    parts = [tensor_part(v) for v in arguments.positional[:2]]
    for part in parts:
        flags |= part.note & (ASSUMED | DECLARED) if part is not None else 0
    if name in _VECTORS:
        return flags | VECTOR
    if name in _POINTWISE and parts and parts[0] is not None:
        flags |= parts[0].note & (SCALAR | VECTOR)
    if name in ("tensor", "scalar_tensor") and arguments.positional:
        first = arguments.positional[0]
        return SCALAR if first.kind in ("const", "number") else 0
    if name in _REDUCTIONS and not arguments.keywords and len(arguments.positional) <= 1:
        flags |= SCALAR
    if name in ("rand", "randn") and arguments.positional:
        first = arguments.positional[0]
        if first.kind == "tuple" and not first.data:
            flags |= SCALAR
    return flags


_VECTORS = frozenset(
    "arange linspace logspace randperm bincount unique masked_select flatnonzero".split()
)
_POINTWISE = frozenset(
    """
    abs neg sqrt exp log ceil floor round trunc sigmoid relu tanh clone detach contiguous to float
    long int bool half double cuda cpu isnan isinf isfinite square rsqrt clamp item_ cumsum flip
    """.split()
)
_REDUCTIONS = frozenset("sum mean max min prod std var norm all any median argmax argmin".split())


def _dtype(name: str, arguments: Arguments, receiver: Value | None) -> str:
    given = arguments.keywords.get("dtype")
    if given is not None and given != NONE:
        return given.data if given.kind == "dtype" and given.data else ""
    if name in _BOOL_RESULT:
        return "bool"
    if name in _INT_RESULT:
        return "int"
    if name in ("arange", "tensor", "full"):
        return _literal_dtype(name, arguments)
    if name in (
        "rand",
        "randn",
        "softmax",
        "sigmoid",
        "linspace",
        "float",
        "half",
        "double",
        "mean",
        "sqrt",
        "exp",
        "log",
        "relu",
        "linear",
        "layer_norm",
        "zeros",
        "ones",
    ):
        return "float"
    source = (
        receiver
        if receiver is not None
        else (arguments.positional[0] if arguments.positional else None)
    )
    if source is None:
        return ""
    if name == "where" and len(arguments.positional) == 3:
        sides = [tensor_part(v) for v in arguments.positional[1:]]
        families = {s.data for s in sides if s is not None}
        return families.pop() if len(families) == 1 else ""
    if name in _SAME_DTYPE:
        if source.kind in ("list", "tuple"):
            source = iterated(source)
        part = tensor_part(source)
        dtype = part.data if part is not None else ""
        return "int" if name in ("cumsum", "cumprod") and dtype == "bool" else dtype
    return ""


def _literal_dtype(name: str, arguments: Arguments) -> str:
    values = arguments.positional[-1:] if name == "full" else arguments.positional
    for value in values:
        inner = iterated(value) if value.kind in ("list", "tuple") else value
        if inner.kind == "const" and isinstance(inner.data, bool):
            return "bool"
        if inner == BOOLEAN:
            return "bool"
        if inner.kind == "const" and isinstance(inner.data, float):
            return "float"
        if inner.kind == "unknown":
            return ""
    return "int" if name == "arange" else ""


def _varies(name: str, arguments: Arguments, receiver: Value | None) -> Value:
    """Functions whose result depends on the arguments."""
    offset = 0 if receiver is not None else 1
    flags = (
        receiver.note & (ASSUMED | DECLARED) if receiver is not None else _flags(name, arguments)
    )
    dtype = _dtype(name, arguments, receiver)
    rest = arguments.positional[offset:]
    if name in (
        "max",
        "min",
        "median",
        "mode",
        "kthvalue",
        "sort",
        "topk",
        "cummax",
        "cummin",
        "nanmedian",
    ):
        by_dim = "dim" in arguments.keywords or (rest and not tensor_part(rest[0]))
        if by_dim or name in ("sort", "topk", "kthvalue", "mode"):
            return tuple_of((tensor(dtype, flags), tensor("int", flags)))
        return tensor(dtype, flags | (SCALAR if not rest else 0))
    if name == "nonzero":
        as_tuple = arguments.keywords.get("as_tuple")
        if as_tuple == TRUE:
            return list_of(tensor("int", flags | VECTOR), "tuple")
        return tensor("int", flags)
    if name == "where":
        full = len(rest) + offset >= 3 or (receiver is not None and len(rest) >= 2)
        return tensor(dtype, flags) if full else list_of(tensor("int", flags | VECTOR), "tuple")
    if name == "size":
        return SHAPE_NUMBER if rest or arguments.keywords else SIZE
    if name in ("unique", "unique_consecutive"):
        extra = [
            k
            for k in ("return_inverse", "return_counts")
            if arguments.keywords.get(k) not in (None, FALSE)
        ]
        one = tensor(dtype, flags)
        return one if not extra else tuple_of((one, *(tensor("int", flags) for _ in extra)))
    if name in ("std_mean", "var_mean"):
        return tuple_of((tensor("float", flags), tensor("float", flags)))
    if name == "type":
        return tensor("", flags) if rest else STRING
    if name in ("stride",):
        return SHAPE_NUMBER if rest else SIZE
    if name in ("is_shared", "get_device"):
        return NUMBER
    if name in ("multi_head_attention_forward",):
        return tuple_of((tensor("float"), join(tensor("float"), NONE)))
    return tensor(dtype, flags)


def _several(name: str, one: Value, arguments: Arguments) -> Value:
    if name in (
        "split",
        "chunk",
        "unbind",
        "tensor_split",
        "split_with_sizes",
        "meshgrid",
        "broadcast_tensors",
        "hsplit",
        "vsplit",
        "dsplit",
    ):
        return list_of(one, "tuple")
    if name in ("max_pool2d_with_indices", "topk", "sort", "kthvalue", "mode", "cummax", "cummin"):
        return tuple_of((one, tensor("int", one.note)))
    if name in ("svd",):
        return tuple_of((one, one, one))
    return list_of(one, "tuple")


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
        return _tensor_method(base, name, arguments)
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


_PYTHON_METHODS = {
    **dict.fromkeys("unique unique_consecutive".split(), "varies"),
    **dict.fromkeys("norm stft istft unflatten rsub detach detach_".split(), "tensor"),
    "split": "tensors",
}
_NEW = frozenset("new_zeros new_ones new_full new_empty new_tensor".split())


def _tensor_method(base: Value, name: str, arguments: Arguments) -> Value:
    flags = base.note & (ASSUMED | DECLARED)
    if name in ("item",):
        return Value("number", "item")
    if name == "tolist":
        return list_of(Value("number", "item"))
    if name in ("numpy",):
        return NDARRAY
    if name in ("numel", "nelement", "dim", "ndimension", "element_size", "__len__"):
        return NUMBER if "dim" in name or name == "element_size" else SHAPE_NUMBER
    if name in ("to", "type"):
        return _converted(base, flags, arguments, name)
    kind = METHODS.get(name) or _PYTHON_METHODS.get(name, "tensor" if name[-1:] == "_" else "")
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind == "varies":
        return _varies(name, arguments, base)
    dtype = _dtype(name, arguments, base)
    if kind == "tensors":
        return _several(name, tensor(dtype, flags), arguments)
    if name in _NEW:
        flags = 0
    if name in _VECTORS or name in ("flatten", "ravel"):
        flags |= VECTOR
    if name in ("view", "reshape") and len(arguments.positional) == 1:
        only = arguments.positional[0]
        flags |= VECTOR if only.kind == "const" and only.data == -1 else 0
    if name in _POINTWISE:
        flags |= base.note & (SCALAR | VECTOR)
    if name in _REDUCTIONS and not arguments.positional and not arguments.keywords:
        flags |= SCALAR
    return tensor(dtype, flags) if kind == "tensor" else UNKNOWN


def _converted(base: Value, flags: int, arguments: Arguments, name: str) -> Value:
    for value in (*arguments.positional, *arguments.keywords.values()):
        rank = base.note & (SCALAR | VECTOR)
        if value.kind == "dtype":
            return tensor(value.data or "", flags | rank)
        if value.kind == "tensor":
            return tensor(value.data, flags | rank)
    if name == "type" and not arguments.positional:
        return STRING
    flags |= base.note & (SCALAR | VECTOR)
    devices = ("device", "string", "const")
    same = all(v.kind in devices for v in arguments.positional)
    return tensor(base.data if same else "", flags)


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
    if last in ("LSTM",):
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
    from compilescope.lint.machine import Arguments as Passed

    if inner.kind == "list":
        result = call_value(machine, frame, inner.data, arguments, node)
        return result
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    for stage in inner.data:
        value = call_value(machine, frame, stage, Passed((value,)), node)
    return value


__all__ = ["SHAPE_NUMBER", "alternatives", "call_library", "call_method", "call_object"]
