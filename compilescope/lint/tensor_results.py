"""What torch functions and tensor methods give: kind, dtype family, rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from compilescope.lint.operators import iterated
from compilescope.lint.torch_table import METHODS
from compilescope.lint.values import (
    ASSUMED,
    BOOLEAN,
    DECLARED,
    DEVICE,
    DTYPE,
    FALSE,
    FIXED_SIZE,
    NDARRAY,
    NONE,
    NUMBER,
    SCALAR,
    SHAPE_NUMBER,
    SIZE,
    STRING,
    TRUE,
    UNKNOWN,
    VECTOR,
    Value,
    has_fixed_size,
    join,
    list_of,
    tensor,
    tensor_part,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments


SIMPLE = {
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
    count_nonzero randint randperm multinomial tril_indices triu_indices one_hot
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


def result_flags(name: str, arguments: Arguments) -> int:
    """How sure it is that the result is a tensor, and what is known of its rank."""
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


def result_dtype(name: str, arguments: Arguments, receiver: Value | None) -> str:
    """The family of dtypes of a result, where the arguments decide it."""
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


def varies(name: str, arguments: Arguments, receiver: Value | None) -> Value:
    """Functions whose result depends on the arguments."""
    flags = (
        receiver.note & (ASSUMED | DECLARED)
        if receiver is not None
        else result_flags(name, arguments)
    )
    one = tensor(result_dtype(name, arguments, receiver), flags)
    rest = arguments.positional[0 if receiver is not None else 1 :]
    handler = _VARYING.get(name)
    return handler(name, one, rest, arguments.keywords) if handler is not None else one


Keywords = Mapping[str, Value]
Rest = tuple[Value, ...]


def _extreme(name: str, one: Value, rest: Rest, keywords: Keywords) -> Value:
    by_dim = "dim" in keywords or bool(rest and not tensor_part(rest[0]))
    if by_dim or name in ("sort", "topk", "kthvalue", "mode"):
        return tuple_of((one, tensor("int", one.note)))
    return tensor(one.data, one.note | (SCALAR if not rest else 0))


def _positions(name: str, one: Value, rest: Rest, keywords: Keywords) -> Value:
    if name == "nonzero":
        if keywords.get("as_tuple") == TRUE:
            return list_of(tensor("int", one.note | VECTOR), "tuple")
        return tensor("int", one.note)
    return one if len(rest) >= 2 else list_of(tensor("int", one.note | VECTOR), "tuple")


def _unique(name: str, one: Value, rest: Rest, keywords: Keywords) -> Value:
    order = ("sorted", "return_inverse", "return_counts", "dim")[name != "unique" :]
    given = {**dict(zip(order, rest, strict=False)), **keywords}
    asked = [given.get(key) for key in ("return_inverse", "return_counts")]
    extra = [tensor("int", one.note & ~VECTOR) for value in asked if value not in (None, FALSE)]
    if given.get("dim") not in (None, NONE):
        one = tensor(one.data, one.note & ~VECTOR)
    return tuple_of((one, *extra)) if extra else one


def _measure(name: str, _one: Value, rest: Rest, keywords: Keywords) -> Value:
    if name in ("size", "stride"):
        return SHAPE_NUMBER if rest or keywords else SIZE
    return NUMBER


def _pair(_name: str, one: Value, _rest: Rest, _keywords: Keywords) -> Value:
    return tuple_of((tensor("float", one.note), tensor("float", one.note)))


def _attention(_name: str, _one: Value, _rest: Rest, _keywords: Keywords) -> Value:
    return tuple_of((tensor("float"), join(tensor("float"), NONE)))


_VARYING: dict[str, Callable[[str, Value, Rest, Keywords], Value]] = {
    **dict.fromkeys(
        "max min median mode kthvalue sort topk cummax cummin nanmedian".split(), _extreme
    ),
    **dict.fromkeys(("nonzero", "where"), _positions),
    **dict.fromkeys(("unique", "unique_consecutive"), _unique),
    **dict.fromkeys(("size", "stride", "is_shared", "get_device"), _measure),
    **dict.fromkeys(("std_mean", "var_mean"), _pair),
    "multi_head_attention_forward": _attention,
}


def several(name: str, one: Value) -> Value:
    """The tuple or list that a function of several results gives."""
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
    if name == "svd":
        return tuple_of((one, one, one))
    return list_of(one, "tuple")


_PYTHON_METHODS = {
    **dict.fromkeys("unique unique_consecutive".split(), "varies"),
    **dict.fromkeys("norm stft istft unflatten rsub detach detach_".split(), "tensor"),
    "split": "tensors",
}


_NEW = frozenset("new_zeros new_ones new_full new_empty new_tensor".split())


_SPECIAL = {
    "item": Value("number", "item"),
    "tolist": list_of(Value("number", "item")),
    "numpy": NDARRAY,
    "dim": NUMBER,
    "ndimension": NUMBER,
    "element_size": NUMBER,
    "numel": SHAPE_NUMBER,
    "nelement": SHAPE_NUMBER,
    "__len__": SHAPE_NUMBER,
}


_SIZES = frozenset(("size", "numel", "nelement", "__len__"))


def tensor_method(base: Value, name: str, arguments: Arguments) -> Value:
    """What a method of a tensor gives."""
    if name in _SIZES and has_fixed_size(base):
        whole = name == "size" and not (arguments.positional or arguments.keywords)
        return FIXED_SIZE if whole else NUMBER
    if name in _SPECIAL:
        return _SPECIAL[name]
    flags = base.note & (ASSUMED | DECLARED)
    if name in ("to", "type"):
        return _converted(base, flags, arguments, name)
    kind = METHODS.get(name) or _PYTHON_METHODS.get(name, "tensor" if name[-1:] == "_" else "")
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind == "varies":
        return varies(name, arguments, base)
    dtype = result_dtype(name, arguments, base)
    if kind == "tensors":
        return several(name, tensor(dtype, flags))
    flags = 0 if name in _NEW else flags | _rank_after(base, name, arguments)
    return tensor(dtype, flags) if kind == "tensor" else UNKNOWN


def _rank_after(base: Value, name: str, arguments: Arguments) -> int:
    """Whether the result of a method is known to have no or one dimension."""
    if name in _VECTORS or name in ("flatten", "ravel"):
        return VECTOR
    if name in ("view", "reshape") and len(arguments.positional) == 1:
        only = arguments.positional[0]
        return VECTOR if only.kind == "const" and only.data == -1 else 0
    if name in _POINTWISE:
        return int(base.note & (SCALAR | VECTOR))
    if name in _REDUCTIONS and not arguments.positional and not arguments.keywords:
        return SCALAR
    return 0


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
