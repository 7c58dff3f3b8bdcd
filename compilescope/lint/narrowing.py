"""What a test that came out true or false says about the values it names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.expressions import evaluate, path_of
from compilescope.lint.values import (
    BOOLEAN,
    NONE,
    NUMBER,
    STRING,
    TENSOR,
    UNKNOWN,
    Value,
    alternatives,
    join_all,
    list_of,
    tensor,
    truth,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame
    from compilescope.lint.machine import Machine

_CHECKS = {
    "builtins.int": NUMBER,
    "builtins.float": NUMBER,
    "numbers.Number": NUMBER,
    "builtins.bool": BOOLEAN,
    "builtins.str": STRING,
    "builtins.list": list_of(UNKNOWN),
    "builtins.tuple": list_of(UNKNOWN, "tuple"),
    "builtins.dict": Value("dict", (), UNKNOWN),
    "torch.Tensor": TENSOR,
    "torch.nn.Parameter": TENSOR,
}


def narrow(machine: Machine, frame: Frame, node: ast.expr, positive: bool) -> None:
    """Change the environment to what holds after the test."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        narrow(machine, frame, node.operand, not positive)
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And) == positive:
            for operand in node.values:
                narrow(machine, frame, operand, positive)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        _narrow_compare(machine, frame, node, positive)
    elif isinstance(node, ast.Call):
        _narrow_call(machine, frame, node, positive)
    elif isinstance(node, ast.NamedExpr):
        narrow(machine, frame, node.target, positive)
    else:
        path = path_of(node)
        if path:
            _keep(machine, frame, node, path, lambda v: truth(v) is not (not positive))


def _current(machine: Machine, frame: Frame, node: ast.expr, path: str) -> Value:
    if path in frame.env:
        return frame.env[path]
    sink = machine.sink
    machine.sink = _ignore
    try:
        return evaluate(machine, frame, node)
    finally:
        machine.sink = sink


def _ignore(_fact: object) -> None:
    """Narrowing looks at values again without reporting them again."""


def _keep(machine: Machine, frame: Frame, node: ast.expr, path: str, keep: object) -> None:
    value = _current(machine, frame, node, path)
    if value.kind == "union":
        kept = [v for v in alternatives(value) if keep(v)]  # type: ignore[operator]
        if kept:
            frame.keep(path, _sure(join_all(kept)))


def _sure(value: Value) -> Value:
    """A declared alternative that is the only one left is certain."""
    from compilescope.lint.values import DECLARED

    return tensor(value.data, value.note & ~DECLARED) if value.kind == "tensor" else value


def _narrow_compare(machine: Machine, frame: Frame, node: ast.Compare, positive: bool) -> None:
    operator, other = node.ops[0], node.comparators[0]
    left = node.left.target if isinstance(node.left, ast.NamedExpr) else node.left
    path = path_of(left)
    if not path or not isinstance(other, ast.Constant):
        return
    if isinstance(operator, ast.Is | ast.Eq):
        equal = positive
    elif isinstance(operator, ast.IsNot | ast.NotEq):
        equal = not positive
    else:
        return
    if other.value is None:
        if equal:
            frame.keep(path, NONE)
        else:
            _keep(machine, frame, left, path, lambda v: v != NONE)
    elif equal and isinstance(other.value, str | bool):
        value = _current(machine, frame, left, path)
        if value.kind in ("string", "number"):
            frame.keep(path, Value("const", other.value, type(other.value).__name__))


def _narrow_call(machine: Machine, frame: Frame, node: ast.Call, positive: bool) -> None:
    head = evaluate(machine, frame, node.func) if path_of(node.func) else UNKNOWN
    if head.kind != "library" or not node.args:
        return
    subject = node.args[0]
    path = path_of(subject)
    if not path:
        return
    if head.data in ("torch.is_tensor", "torch.overrides.is_tensor_like"):
        types: list[Value] = [Value("library", "torch.Tensor")]
    elif head.data == "builtins.isinstance" and len(node.args) == 2:
        types = _types(machine, frame, node.args[1])
    else:
        return
    value = _current(machine, frame, subject, path)
    if positive:
        frame.keep(path, _positive(machine, value, types))
    elif value.kind == "union":
        _keep(machine, frame, subject, path, lambda v: not any(matches(v, t) for t in types))


def _types(machine: Machine, frame: Frame, node: ast.expr) -> list[Value]:
    if isinstance(node, ast.Tuple):
        return [evaluate(machine, frame, part) for part in node.elts]
    if isinstance(node, ast.BinOp):
        return [*_types(machine, frame, node.left), *_types(machine, frame, node.right)]
    return [evaluate(machine, frame, node)]


def _positive(machine: Machine, value: Value, types: list[Value]) -> Value:
    kept = [v for v in alternatives(value) if any(matches(v, t) for t in types)]
    if kept:
        return _sure(join_all(kept))
    if value.kind != "unknown":
        return value
    return join_all(_instance(machine, t) for t in types)


def _instance(machine: Machine, kind: Value) -> Value:
    if kind.kind == "library":
        return _CHECKS.get(kind.data, UNKNOWN)
    if kind.kind == "class":
        return machine.instance(kind.data)
    return UNKNOWN


def matches(value: Value, kind: Value) -> bool:
    """Whether a value passes an isinstance test for sure or may well pass it."""
    name = kind.data if kind.kind == "library" else ""
    if value.kind == "tensor":
        return name.endswith(("Tensor", ".Parameter"))
    if value.kind in ("list", "tuple"):
        known = {"list": "builtins.list", "tuple": "builtins.tuple"}.get(value.note, "")
        return name == known or name.endswith(("Sequence", "Iterable"))
    if value.kind == "dict":
        return name.endswith(("dict", "Mapping", "Dict"))
    if value.kind == "number":
        return name in ("builtins.int", "builtins.float", "builtins.bool", "numbers.Number")
    if value.kind == "string":
        return name == "builtins.str"
    if value.kind == "const":
        return bool(name == f"builtins.{value.note}")
    if value.kind == "instance" and kind.kind == "class":
        return kind.data is value.data.owner
    return value.kind == "unknown"
