"""Arguments that are objects with tensors inside, such as a cache of keys and values."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from .library import torch

_DEEPEST = 6
_MOST = 2000  # parts of an object that are looked at
# Code, and what owns parameters or a state of its own: a call uses it and gets no copy.
_NOT_HELD = (
    torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.Generator, types.ModuleType,
    types.FunctionType, types.MethodType, type, Enum,
)  # fmt: skip


def is_object(value: Any) -> bool:
    """Whether tensors may be in its attributes."""
    return hasattr(value, "__dict__") and not isinstance(value, _NOT_HELD)


def held(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors in the attributes of an object, with the path to each."""
    seen: set[int] = set()

    def look(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
        if isinstance(value, torch.Tensor):
            yield path, value
            return
        if depth > _DEEPEST or id(value) in seen or len(seen) >= _MOST:
            return
        parts = _parts(path, value)
        if parts:
            seen.add(id(value))
        for name, part in parts:
            yield from look(name, part, depth + 1)

    yield from look(path, value, 0)


def _parts(path: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        return [(f"{path}[{number}]", part) for number, part in enumerate(value)]
    if isinstance(value, dict):
        return [(f"{path}[{key!r}]", part) for key, part in value.items()]
    if is_object(value):
        return [(f"{path}.{key}", part) for key, part in vars(value).items()]
    return []


def remade(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of an object with every tensor in it replaced by `change` of it.

    An object that holds no tensor and no place for one, or cannot be copied, is returned itself.
    """
    if next(held("", value), None) is None and not _has_room(value):
        return value
    try:
        return _Copies(change).of(value, 0)
    except Exception:  # noqa: BLE001  an object of a kind that has no copies
        return value


def _has_room(value: Any) -> bool:
    """Whether a call may put a tensor into an object: a cache is empty at first."""
    waiting = [(value, 0)] if is_object(value) else []
    for looked, (one, depth) in enumerate(waiting):
        parts = [part for _, part in _parts("", one)]
        if any(part is None or (type(part) in (list, dict) and not part) for part in parts):
            return True
        if depth < _DEEPEST and looked < _MOST:
            waiting += [(part, depth + 1) for part in parts]
    return False


class _Copies:
    """Copies of an object and of its parts; what is in it twice is so in the copy."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self._change = change
        self._known: dict[int, Any] = {}

    def of(self, value: Any, depth: int) -> Any:
        """A copy of `value`, which lies `depth` below the object."""
        if isinstance(value, torch.Tensor):
            return self._change(value)
        if id(value) in self._known:
            return self._known[id(value)]
        if depth > _DEEPEST or not (isinstance(value, (list, tuple, dict)) or is_object(value)):
            return value
        if isinstance(value, tuple):
            parts = [self.of(part, depth + 1) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if len(self._known) >= _MOST:
            raise ValueError("too large to be copied for each call")
        made = self._known[id(value)] = copy.copy(value)
        if made is value:
            return value
        if isinstance(value, list):
            made[:] = [self.of(part, depth + 1) for part in value]
        elif isinstance(value, dict):
            made.update({key: self.of(part, depth + 1) for key, part in value.items()})
        else:
            for key, part in vars(value).items():
                made.__dict__[key] = self.of(part, depth + 1)
        return made
