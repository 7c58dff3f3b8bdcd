"""Parts of a call by the keys that lead to them, as the recipes of warm-ups name them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .forecast_samples import Sample

    Keys = tuple[Any, ...]

_DEEPEST = 4
MISSING: Any = object()


def tree(sample: Sample) -> dict[str, Any]:
    """The call as one container."""
    return {"args": sample.args, "kwargs": sample.kwargs}


def containers(sample: Sample) -> Iterator[tuple[Keys, Any]]:
    """Every plain list, tuple and dict among the arguments."""
    for name, held in tree(sample).items():
        for key, value in held.items() if name == "kwargs" else enumerate(held):
            yield from _containers((name, key), value)


def _containers(keys: Keys, value: Any) -> Iterator[tuple[Keys, Any]]:
    if type(value) in (list, tuple):
        yield keys, value
        parts: Any = enumerate(value)
    elif type(value) is dict:
        yield keys, value
        parts = value.items()
    else:
        return
    if len(keys) < _DEEPEST:
        for key, part in parts:
            yield from _containers((*keys, key), part)


def part(held: Any, keys: Keys) -> Any:
    """What `keys` lead to, MISSING where they lead nowhere."""
    try:
        for key in keys:
            held = held[key]
    except (KeyError, IndexError, TypeError):
        return MISSING
    return held


def put(sample: Sample, keys: Keys, value: Any) -> tuple[Any, dict[str, Any]]:
    """The arguments of `sample` with the part at `keys` replaced, or left out for MISSING."""
    made = _put(tree(sample), keys, value)
    return made["args"], made["kwargs"]


def _put(held: Any, keys: Keys, value: Any) -> Any:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if not rest and value is MISSING:
        if isinstance(held, tuple):
            return held[:key]
        return {name: item for name, item in held.items() if name != key}
    if isinstance(held, tuple):
        parts = list(held)
        if key < len(parts):
            parts[key] = _put(parts[key], rest, value)
        else:
            parts.append(value)
        return tuple(parts)
    made = copy.copy(held)
    made[key] = _put(held[key] if rest else None, rest, value)
    return made
