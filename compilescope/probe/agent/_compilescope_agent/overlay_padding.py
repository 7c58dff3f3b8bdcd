"""Padding of an argument to a multiple or to buckets, and the cut of the results back to size."""

from __future__ import annotations

import sys
from typing import Any

Cut = tuple[int, int, int]  # dimension, size with padding, size without


def padded(value: Any, entry: dict[str, Any]) -> Any:
    """`value` filled up behind to the size that `entry` asks for."""
    torch: Any = sys.modules["torch"]
    dimension = entry["dimension"]
    if dimension >= value.dim():
        return value
    size = value.shape[dimension]
    buckets = entry.get("buckets")
    multiple = entry.get("multiple", 8)
    target = max(-(-size // multiple), 1) * multiple
    if buckets:
        target = next((bucket for bucket in sorted(buckets) if bucket >= size), size)
    padding = [0, 0] * (value.dim() - 1 - dimension) + [0, target - size]
    if target <= size:
        return value
    return torch.nn.functional.pad(value, padding, value=filler(entry.get("path", ""), value))


def filler(path: str, value: Any) -> int:
    """What stands in the padding: -100 for labels, which cross_entropy leaves out; else 0."""
    return -100 if path.rstrip("']").endswith("labels") and not value.is_floating_point() else 0


def cut_of(before: Any, after: Any, entry: dict[str, Any]) -> list[Cut]:
    """What has to be cut from results, nothing where nothing was padded."""
    dimension = entry["dimension"]
    if after is before:
        return []
    return [(dimension, after.shape[dimension], before.shape[dimension])]


def cut(result: Any, cuts: list[Cut]) -> Any:
    """`result` without the rows that only padding gave it."""
    torch: Any = sys.modules["torch"]
    if not cuts:
        return result
    if isinstance(result, torch.Tensor):
        for dimension, long, short in cuts:
            if result.dim() > dimension and result.shape[dimension] == long:
                result = result.narrow(dimension, 0, short)
        return result
    if type(result) in (list, tuple):
        return type(result)(cut(part, cuts) for part in result)
    if type(result) is dict:
        return {key: cut(part, cuts) for key, part in result.items()}
    return result
