"""What an ahead-of-time graph takes: checked before it is called, since it checks little itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import torch
from torch.utils import _pytree as pytree

from compilescope.mitigations.recorded_sizes import ranges


def describe(exported: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The bounds of an exported program as plain data, from its own ranges and the sample."""
    names = list(exported.graph_signature.user_inputs)
    values = {node.name: node.meta.get("val") for node in exported.graph.nodes}
    leaves = pytree.tree_leaves((args, kwargs))
    ranges = {str(symbol): found for symbol, found in exported.range_constraints.items()}
    inputs = []
    for name, leaf in zip(names, leaves, strict=True):
        if isinstance(leaf, torch.Tensor):
            sizes = values[name].shape
            inputs.append(
                {
                    "dtype": str(leaf.dtype),
                    "device": str(leaf.device),
                    "sizes": [_size(size, ranges) for size in sizes],
                }
            )
        else:
            inputs.append({"value": repr(leaf), "type": type(leaf).__name__})
    return {"structure": structure(args, kwargs), "inputs": inputs}


def _size(size: Any, ranges: dict[str, Any]) -> Any:
    if isinstance(size, int):
        return size
    expression = str(size.node.expr)
    found = ranges.get(expression)
    # A graph exported for sizes from 2 may have left out what 0 and 1 need, such as broadcasting.
    low = max(int(found.lower), 2) if found is not None else 2
    upper = getattr(found, "upper", None)
    high = int(upper) if upper is not None and upper.is_Integer else None
    return {"expression": expression, "low": low, "high": high}


def structure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """How the inputs are nested, as text that is equal for equal nestings."""
    return str(pytree.tree_structure((args, dict(sorted(kwargs.items())))))


def violation(bounds: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What of these inputs is outside the bounds, in words; empty where nothing is."""
    kwargs = dict(sorted(kwargs.items()))
    if structure(args, kwargs) != bounds["structure"]:
        return "other arguments than those of the sample"
    symbols: dict[str, int] = {}
    derived: list[tuple[str, str, int]] = []
    for place, (leaf, expected) in enumerate(
        zip(pytree.tree_leaves((args, kwargs)), bounds["inputs"], strict=True)
    ):
        name = f"input {place}"
        if not isinstance(leaf, torch.Tensor):
            if repr(leaf) != expected.get("value") or type(leaf).__name__ != expected["type"]:
                return f"{name} is {leaf!r}, not {expected.get('value', 'a tensor')}"
            continue
        if "dtype" not in expected:
            return f"{name} is a tensor, not {expected['value']}"
        wrong = _tensor(name, leaf, expected, symbols, derived)
        if wrong:
            return wrong
    return next(_underived(derived, symbols), "")


def _tensor(
    name: str,
    leaf: torch.Tensor,
    expected: dict[str, Any],
    symbols: dict[str, int],
    derived: list[tuple[str, str, int]],
) -> str:
    if str(leaf.dtype) != expected["dtype"] or str(leaf.device) != expected["device"]:
        wanted = f"{expected['dtype']} on {expected['device']}"
        return f"{name} is {leaf.dtype} on {leaf.device}, not {wanted}"
    if leaf.dim() != len(expected["sizes"]):
        return f"{name} has {leaf.dim()} dimensions, not {len(expected['sizes'])}"
    for place, (size, bound) in enumerate(zip(leaf.shape, expected["sizes"], strict=True)):
        where = f"size {place} of {name} is {size}"
        if isinstance(bound, int):
            if size != bound:
                return f"{where}, not {bound}"
            continue
        expression, low, high = bound["expression"], bound["low"], bound["high"]
        if not expression.isidentifier():
            derived.append((where, expression, size))
            continue
        if size < low or (high is not None and size > high):
            return f"{where}, outside {low} to {'any' if high is None else high}"
        if symbols.setdefault(expression, size) != size:
            return f"{where}, and {symbols[expression]} where it must be the same"
    return ""


def _underived(derived: list[tuple[str, str, int]], symbols: dict[str, int]) -> Iterator[str]:
    if not derived:
        return
    sympy: Any = import_module("sympy")
    for where, expression, size in derived:
        value = sympy.sympify(expression).subs(symbols)
        if not value.is_Integer or int(value) != size:
            yield f"{where}, not {expression}"


def suggest_bounds(session: Any, name: str = "") -> dict[str, dict[int, Any]]:
    """`dynamic_shapes` for `aot_or_eager`, from the calls that a session recorded.

    A size that was different in different calls becomes a `torch.export.Dim` from its smallest to
    its largest; sizes that were equal in every call share one. 0 and 1 are left outside, since
    export treats them apart: such calls go to eager.

    Args:
        session: Of `compilescope probe`, as `compilescope.store.load` gives it.
        name: The callable, where the session has several.

    Returns:
        By argument name, the dimensions that vary; without those that are always the same.
    """
    shared: dict[str, Any] = {}
    found: dict[str, dict[int, Any]] = defaultdict(dict)
    for source, places in ranges(session, name).items():
        for place, (label, low, high) in places.items():
            if label not in shared:
                shared[label] = torch.export.Dim(label, min=low, max=high)
            found[source][place] = shared[label]
    return dict(found)
