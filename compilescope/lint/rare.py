"""Branches that hardly any run takes: what is found in them is only possible."""

from __future__ import annotations

import ast
import re

from compilescope.lint.values import Value

_SWITCH = re.compile(
    r"(?:^|_)(?:debug|debugging|verbose|trace|tracing|dry_run)(?:_|$)", re.IGNORECASE
)
_OPTIONAL = re.compile(r"_?(?:HAS|HAVE)_\w+|\w+_AVAILABLE|is_\w+_available")
_HALF = ("float16", "half", "bfloat16")
_DEVICES = ("mps", "xla", "npu", "xpu", "hpu")
_FOREIGN = ("str", "bytes", "ndarray", "Path", "PathLike")
_METADATA = frozenset(
    ".shape .dtype .device .ndim .dim .size .numel .nelement .stride .is_contiguous".split()
)


def is_rare(test: ast.expr, positive: bool = True) -> bool:
    """Whether a test comes out like this only where somebody asked for it, or for an odd input.

    A switch for debugging, the environment, what a machine has installed, half precision, an
    uncommon device, a text.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_rare(test.operand, not positive)
    if isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And) != positive
        return (all if every else any)(is_rare(operand, positive) for operand in test.values)
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and _is_rare_comparison(test, positive)
    return _is_optional(test) or (positive and (_is_switch(test) or _is_rare_call(test)))


def _is_rare_comparison(test: ast.Compare, positive: bool) -> bool:
    operator, other = test.ops[0], test.comparators[0]
    if isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn):
        same = not positive
    elif isinstance(operator, ast.Eq | ast.Is | ast.In):
        same = positive
    else:
        return False
    if isinstance(other, ast.Constant) and (other.value is None or other.value is False):
        same = not same
    elif same and isinstance(operator, ast.Eq | ast.NotEq):
        if isinstance(other, ast.Attribute) and other.attr in _HALF:
            return True
        if isinstance(other, ast.Constant) and other.value in _DEVICES:
            return True
    return same and (reads_environment(test) or _is_switch(test.left))


def _is_switch(node: ast.expr) -> bool:
    """Whether an expression is a name that switches on what is off by default."""
    name = getattr(node, "attr", getattr(node, "id", ""))
    return isinstance(node, ast.Name | ast.Attribute) and _SWITCH.search(name) is not None


def _is_optional(node: ast.expr) -> bool:
    """Whether an expression asks if a package is installed, as its name tells."""
    node = node.func if isinstance(node, ast.Call) and not node.args else node
    name = getattr(node, "attr", getattr(node, "id", ""))
    return _OPTIONAL.fullmatch(name) is not None


def _is_rare_call(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "isinstance" and len(node.args) == 2:
        kind = node.args[1]
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        return all(getattr(k, "attr", getattr(k, "id", "")) in _FOREIGN for k in kinds)
    return name == "isEnabledFor" or reads_environment(node)


def reads_environment(node: ast.expr) -> bool:
    """Whether an expression looks into the environment."""
    return not words(node).isdisjoint(("environ", ".environ", "getenv", ".getenv"))


def asks_metadata(test: ast.expr, value: Value) -> bool:
    """Whether a test is about the size, type or place of a tensor: which way it goes is open."""
    if value.kind == "number" and value.data in ("shape", "remainder"):
        return bool(value.data == "shape")  # what does not divide is met sooner or later
    return not words(test).isdisjoint(_METADATA)


def words(node: ast.expr) -> frozenset[str]:
    """The names and attributes in an expression."""
    known: frozenset[str] | None = node.__dict__.get("words")
    if known is None:
        parts = (n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute))
        names = (n.id if isinstance(n, ast.Name) else f".{n.attr}" for n in parts)
        known = node.__dict__["words"] = frozenset(names)
    return known
