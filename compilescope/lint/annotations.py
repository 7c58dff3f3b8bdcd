"""Annotations to value kinds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.index import Module
from compilescope.lint.rule import Site
from compilescope.lint.values import (
    BOOLEAN,
    DECLARED,
    DEVICE,
    DTYPE,
    NDARRAY,
    NONE,
    NUMBER,
    PARAMETER,
    SIZE,
    STRING,
    TENSOR,
    UNKNOWN,
    Value,
    alternatives,
    instance_of,
    join_all,
    list_of,
    tensor,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.machine import Machine

_NAMES = {
    "torch.Tensor": TENSOR,
    "torch.FloatTensor": tensor("float"),
    "torch.HalfTensor": tensor("float"),
    "torch.LongTensor": tensor("int"),
    "torch.IntTensor": tensor("int"),
    "torch.ByteTensor": tensor("int"),
    "torch.BoolTensor": tensor("bool"),
    "torch.nn.Parameter": tensor("float", PARAMETER),
    "torch.nn.parameter.Parameter": tensor("float", PARAMETER),
    "torch.Size": SIZE,
    "torch.dtype": DTYPE,
    "torch.device": DEVICE,
    "numpy.ndarray": NDARRAY,
    "numpy.typing.NDArray": NDARRAY,
    "builtins.int": NUMBER,
    "builtins.float": NUMBER,
    "builtins.complex": NUMBER,
    "builtins.bool": BOOLEAN,
    "builtins.str": STRING,
    "builtins.bytes": STRING,
}
_CONTAINERS = frozenset(
    """
    list List Sequence Iterable Iterator Collection set Set frozenset MutableSequence Generator
    deque
    """.split()
)
_MAPPINGS = frozenset("dict Dict Mapping MutableMapping OrderedDict defaultdict".split())
_TRANSPARENT = frozenset("Annotated Final ClassVar Required NotRequired Unpack InitVar".split())


def declared(machine: Machine, module: Module, node: ast.expr) -> Value:
    """The kind of value that an annotation allows; unknown where it says nothing useful."""
    key = ("annotation", node)
    if key not in machine.memo:
        machine.memo[key] = UNKNOWN  # an alias that refers to itself
        machine.memo[key] = _declared(machine, module, node)
    return machine.memo[key]


def _declared(machine: Machine, module: Module, node: ast.expr) -> Value:
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                return _declared(machine, module, ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                return UNKNOWN
        return UNKNOWN
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _either(machine, module, [node.left, node.right])
    if isinstance(node, ast.Subscript):
        return _subscript(machine, module, node)
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(machine, module, node)
    return UNKNOWN


def _resolve(machine: Machine, module: Module, node: ast.expr) -> Value:
    from compilescope.lint.expressions import evaluate
    from compilescope.lint.frames import Frame

    return evaluate(machine, Frame(module, Site(module, init=True), {}), node)


def _named(machine: Machine, module: Module, node: ast.Name | ast.Attribute) -> Value:
    value = _resolve(machine, module, node)
    if value.kind == "library":
        if value.data in _NAMES:
            return _NAMES[value.data]
        last = value.data.rpartition(".")[2]
        if last in ("Tensor", "LongTensor", "FloatTensor", "BoolTensor") and "torch" in value.data:
            return _NAMES[f"torch.{last}"]
        return _bare(value.data, last)
    if value.kind == "class":
        return machine.instance(value.data)
    if isinstance(node, ast.Name):
        return _alias(machine, module, node.id)
    return UNKNOWN


def _bare(name: str, last: str) -> Value:
    if name.startswith(("builtins.", "typing.", "collections.")):
        if last in _CONTAINERS:
            return list_of(UNKNOWN)
        if last in _MAPPINGS:
            return Value("dict", (), UNKNOWN)
        if last in ("tuple", "Tuple"):
            return list_of(UNKNOWN, "tuple")
        return UNKNOWN
    if name.startswith("torch.") and last[:1].isupper():
        return instance_of(name)
    return UNKNOWN


def _alias(machine: Machine, module: Module, name: str) -> Value:
    """A type alias of the tree: `Adj = Union[Tensor, SparseTensor]`."""
    for found in module.definitions.get(name, []):
        if isinstance(found, ast.Subscript | ast.BinOp):
            return declared(machine, module, found)
        from compilescope.lint.index import Import

        if isinstance(found, Import) and found.attribute:
            path = machine.project.resolve(module, found.level, found.name)
            other = machine.project.module(path) if path else None
            if other is not None and other is not module:
                return declared(machine, other, ast.Name(found.attribute, ast.Load()))
    return UNKNOWN


def _subscript(machine: Machine, module: Module, node: ast.Subscript) -> Value:
    head = _resolve(machine, module, node.value)
    last = head.data.rpartition(".")[2] if head.kind == "library" else ""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last == "Optional":
        return _either(machine, module, [*parts, ast.Constant(None)])
    if last == "Union":
        return _either(machine, module, parts)
    if last in _TRANSPARENT:
        return _declared(machine, module, parts[0])
    if last in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
            return list_of(_declared(machine, module, parts[0]), "tuple")
        return tuple_of(_declared(machine, module, part) for part in parts)
    if last in _CONTAINERS:
        return list_of(_declared(machine, module, parts[0]))
    if last in _MAPPINGS:
        return Value("dict", (), _declared(machine, module, parts[-1]))
    if last == "Literal":
        return join_all(
            Value("const", p.value, type(p.value).__name__)
            for p in parts
            if isinstance(p, ast.Constant)
        )
    if head.kind == "library" and head.data.startswith("jaxtyping."):
        dtype = {"Bool": "bool", "Int": "int", "Int64": "int", "Float": "float"}.get(last, "")
        return tensor(dtype)
    return UNKNOWN


def _either(machine: Machine, module: Module, parts: list[ast.expr]) -> Value:
    values = [_declared(machine, module, part) for part in parts]
    known = [v for v in values if v.kind != "unknown"]
    if len(known) < len(values) and not any(v.kind == "tensor" for v in known):
        return UNKNOWN
    mixed = len(known) < len(values) or any(
        other.kind != "tensor" and other != NONE for value in known for other in alternatives(value)
    )
    if mixed:
        known = [
            Value("tensor", v.data, v.note | DECLARED) if v.kind == "tensor" else v for v in known
        ]
    return join_all(known)
