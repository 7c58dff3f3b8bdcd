"""What `value.name` gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.index import Class
from compilescope.lint.instances import (
    bind_method,
    bound_to,
    class_attribute,
    method_value,
    of_instance,
)
from compilescope.lint.torch_table import FUNCTIONAL, FUNCTIONS, METHODS
from compilescope.lint.values import (
    ASSUMED,
    BOOLEAN,
    DECLARED,
    DEVICE,
    DTYPE,
    FIXED_SIZE,
    HELD,
    INPUT,
    NONE,
    NUMBER,
    PARAMETER,
    SHAPE_NUMBER,
    SIZE,
    STRING,
    UNKNOWN,
    Value,
    alternatives,
    has_fixed_size,
    join,
    join_all,
    library,
    tensor,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame
    from compilescope.lint.machine import Machine

_TENSOR_ATTRIBUTES = {
    "shape": SIZE,
    "ndim": NUMBER,
    "dtype": DTYPE,
    "device": DEVICE,
    "is_cuda": BOOLEAN,
    "requires_grad": BOOLEAN,
    "layout": Value("layout"),
    "names": UNKNOWN,
    "itemsize": NUMBER,
    "nbytes": SHAPE_NUMBER,
    "is_sparse": BOOLEAN,
    "is_nested": BOOLEAN,
    "is_quantized": BOOLEAN,
    "is_meta": BOOLEAN,
    "is_leaf": BOOLEAN,
    "output_nr": NUMBER,
    "grad_fn": UNKNOWN,
    "__class__": UNKNOWN,
}
_SAME = frozenset(("T", "mT", "H", "mH", "data"))


def attribute(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    """The kind of an attribute."""
    if base.kind == "union":
        return _of_union(machine, frame, base, name, node)
    if base.kind == "tensor":
        return _of_tensor(machine, frame, base, name, node)
    if base.kind == "instance":
        return of_instance(machine, frame, base, name, node)
    if base.kind == "library":
        return _of_library(machine, frame, base, name, node)
    if base.kind == "module":
        return _of_module(machine, base, name)
    if base.kind == "class":
        return _of_class(machine, base, name)
    if base.kind == "object":
        return _of_object(machine, frame, base, name, node)
    if base.kind == "super":
        return _of_super(machine, frame, base, name, node)
    if base.kind == "unknown" and frame.site.compiled:
        return _of_unknown(base, name)
    return _of_plain(machine, frame, base, name, node)


def _of_unknown(base: Value, name: str) -> Value:
    """Names that only tensors and modules have say what an unknown value is."""
    from compilescope.lint.evidence import ONLY_TENSOR

    if name in ONLY_TENSOR or name in ("item", "tolist"):
        return Value("method", tensor("", ASSUMED), name)
    if name in ("shape", "dtype", "device"):
        return _TENSOR_ATTRIBUTES[name]
    if name in ("register_forward_hook", "load_state_dict", "named_parameters"):
        return Value("method", Value("object", "torch.nn.Module"), name)
    return base


def _of_plain(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    if base.kind in ("list", "tuple", "dict", "string", "size", "const", "slice"):
        return Value("method", base, name)
    if base.kind == "ndarray":
        return _NDARRAY_ATTRIBUTES.get(name, Value("method", base, name))
    if base.kind == "device":
        return STRING if name == "type" else NUMBER
    if base.kind == "dtype":
        return NUMBER if name == "itemsize" else BOOLEAN
    if base.kind == "compiled":
        machine.emit("compiled-attribute", node, frame, value=base, detail=name)
    if base.kind in ("compiled", "cached", "opaque") and base.data.kind == "instance":
        return attribute(machine, frame, base.data, name, ast.Pass())
    return UNKNOWN


_NDARRAY_ATTRIBUTES = {
    "shape": SIZE,
    "ndim": NUMBER,
    "dtype": UNKNOWN,
    "size": SHAPE_NUMBER,
    "T": Value("ndarray"),
}


def _of_union(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    parts = [v for v in alternatives(base) if v != NONE]
    found = [attribute(machine, frame, v, name, node) for v in parts]
    known = [v for v in found if v.kind != "unknown"]
    if len(known) == 1 and known[0].kind == "method" and len(parts) > 1:
        inner = known[0].data
        if inner.kind == "tensor":
            return Value("method", tensor(inner.data, inner.note | DECLARED), name)
    return join_all(known) if known else UNKNOWN


def _of_tensor(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    key = f"attribute:torch.Tensor.{name}"
    machine.emit(key, node, frame, value=base, detail=name)
    if name == "shape" and has_fixed_size(base):
        return FIXED_SIZE
    if name in _TENSOR_ATTRIBUTES:
        return _TENSOR_ATTRIBUTES[name]
    if name in _SAME:
        return tensor(base.data, base.note & ~(INPUT | PARAMETER | HELD))
    if name == "grad":
        return join(tensor("float"), NONE)
    if name in ("real", "imag"):
        return tensor("float", base.note & (ASSUMED | DECLARED))
    if name in METHODS or not base.note & ASSUMED:
        return Value("method", base, name)
    return UNKNOWN


def _of_library(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    full = f"{base.data}.{name}"
    machine.emit(f"attribute:{full}", node, frame, value=base, detail=name)
    return library_value(full)


def library_value(full: str) -> Value:
    """What a dotted name outside the tree stands for."""
    owner, _, name = full.rpartition(".")
    if full in _LIBRARY_VALUES:
        return _LIBRARY_VALUES[full]
    if owner == "torch" and name in _DTYPES:
        return Value("dtype", _DTYPES[name])
    if owner in ("math", "cmath") and name in ("pi", "e", "inf", "nan", "tau"):
        return NUMBER
    return library(_CANONICAL.get(full, full))


_CANONICAL = {
    "torch.functional": "torch",
    "torch.nn.modules": "torch.nn",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.autograd.function": "torch.autograd",
    "torch.autograd.function.Function": "torch.autograd.Function",
}
_DTYPES = {
    **dict.fromkeys("float16 float32 float64 bfloat16 half float double".split(), "float"),
    **dict.fromkeys("int8 int16 int32 int64 uint8 int long short".split(), "int"),
    "bool": "bool",
    **dict.fromkeys("complex64 complex128 cfloat cdouble".split(), ""),
}
_LIBRARY_VALUES = {
    "torch.strided": Value("layout"),
    "torch.sparse_coo": Value("layout"),
    "torch.jagged": Value("layout"),
    "torch.pi": NUMBER,
    "torch.inf": NUMBER,
    "torch.nan": NUMBER,
    "torch.__version__": STRING,
    "torch.version.cuda": UNKNOWN,
    "typing.TYPE_CHECKING": Value("const", False, "bool"),
    "numpy.pi": NUMBER,
    "numpy.inf": NUMBER,
    "numpy.newaxis": NONE,
    "sys.maxsize": NUMBER,
}


def _of_module(machine: Machine, base: Value, name: str) -> Value:
    module = machine.project.module(base.data)
    if module is None:
        return UNKNOWN
    found = machine.module_value(module, name)
    if found is not None:
        return found
    below = machine.project.resolve(module, 0, ".".join((*module.package, name)))
    return Value("module", below) if below else UNKNOWN


def _of_class(machine: Machine, base: Value, name: str) -> Value:
    owner: Class = base.data
    classes, names = machine.mro(owner)
    for found in classes:
        if name in found.methods:
            value = method_value(machine, found.methods[name])
            if value.kind == "classmethod":
                return bound_to(value.data, base)
            return value.data if value.kind == "staticmethod" else value
        if name in found.attributes:
            return class_attribute(machine, found, name)
    if name == "apply" and any(n.endswith("autograd.Function") for n in names):
        return Value("apply", owner)
    if name in ("__name__", "__qualname__", "__module__"):
        return STRING
    return UNKNOWN


def _of_object(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    full = f"{base.data}.{name}"
    machine.emit(f"attribute:{full}", node, frame, value=base, detail=name)
    if base.data.startswith("torch.nn."):
        if name == "weight":
            return tensor("float", PARAMETER)
        if name == "bias":
            return join(tensor("float", PARAMETER), NONE)
        if name in ("in_features", "out_features", "num_embeddings", "embedding_dim"):
            return NUMBER
        if name == "training":
            return Value("number", "mode")
        if name in ("running_mean", "running_var"):
            return tensor("float")
    return Value("method", base, name)


def _of_super(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    owner, bound = base.data, base.note
    classes, names = machine.mro(bound.data.owner if bound.kind == "instance" else owner)
    start = classes.index(owner) + 1 if owner in classes else 0
    for found in classes[start:]:
        if name in found.methods:
            return bind_method(
                machine, frame, method_value(machine, found.methods[name]), bound, node
            )
    module = next((n for n in names if n.startswith("torch.nn.")), "")
    if module:
        return Value("method", Value("object", module, None), name)
    return UNKNOWN


def torch_function_kind(name: str) -> str:
    """The kind that a torch function returns, as the stubs say."""
    if name.startswith("torch.nn.functional."):
        return FUNCTIONAL.get(name[20:], "")
    short = name.removeprefix("torch.")
    if "." not in short:
        return FUNCTIONS.get(short, "")
    if short.startswith(("linalg.", "fft.", "special.")):
        return "tensors" if short[7:] in _SEVERAL else "tensor"
    return ""


_SEVERAL = frozenset(("qr", "svd", "eig", "eigh", "lu", "slogdet", "lstsq", "lu_factor"))
