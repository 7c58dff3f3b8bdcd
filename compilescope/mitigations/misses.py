"""Calls that no compiled graph takes: when two are one miss, and the queue of what to compile."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import torch

from compilescope.mitigations.call_state import CallState
from compilescope.mitigations.copies import Inputs

_MOST_REFUSED = 256


@dataclass
class Miss:
    """A call to compile for, with inputs of its own."""

    kind: Hashable
    inputs: Inputs
    state: CallState
    ready: Any = None  # the event of the stream on which the copies are made


def kind_of(
    args: tuple[Any, ...], kwargs: dict[str, Any], state: CallState, *, exact: bool
) -> Hashable:
    """What two calls have in common that one compile is expected to serve.

    It decides only what waits together in the queue, never which graph runs: guards do that.

    Args:
        args: The positional arguments.
        kwargs: The keyword arguments.
        state: Under what they are given.
        exact: Whether each size is a kind of its own (`dynamic=False`). Else sizes count as 0, 1 or
            more, and by which of them are equal, as in Dynamo's symbolic shapes.
    """
    sizes: dict[int, str] = {}
    parts: list[Hashable] = [state.key]
    for item in args:
        _describe(item, parts, sizes, exact)
    for name in sorted(kwargs):
        parts.append(name)
        _describe(kwargs[name], parts, sizes, exact)
    return tuple(parts)


def _describe(value: Any, parts: list[Hashable], sizes: dict[int, str], exact: bool) -> None:
    if isinstance(value, torch.Tensor):
        parts += (type(value), value.dtype, value.device, value.requires_grad, value.layout)
        parts.append(tuple(_size(size, sizes, exact) for size in value.shape))
        if value.layout == torch.strided and not value.is_contiguous():
            parts.append(tuple(value.stride()) if exact else _order(value.stride()))
    elif isinstance(value, (tuple, list)):
        parts += (type(value), len(value))
        for item in value:
            _describe(item, parts, sizes, exact)
    elif isinstance(value, dict):
        parts += (dict, len(value))
        for key, item in value.items():
            parts.append(str(key))
            _describe(item, parts, sizes, exact)
    elif type(value) is int:
        parts.append(_size(value, sizes, exact))
    elif isinstance(value, (str, bytes, float, bool, complex, type(None), torch.dtype)):
        parts.append(value)
    else:
        parts.append(f"{type(value).__module__}.{type(value).__qualname__}")


def _size(size: int, sizes: dict[int, str], exact: bool) -> Hashable:
    if exact or size in (0, 1):
        return size
    return sizes.setdefault(size, f"s{len(sizes)}")


def _order(strides: tuple[int, ...]) -> Hashable:
    ranks = {stride: place for place, stride in enumerate(sorted(set(strides)))}
    return tuple("0" if stride == 0 else ranks[stride] for stride in strides)


@dataclass
class Pending:
    """What waits to be compiled: one of each kind, the oldest given up when there are too many."""

    most: int
    _waiting: OrderedDict[Hashable, Miss] = field(default_factory=OrderedDict)
    _running: Hashable = None
    _refused: OrderedDict[Hashable, str] = field(default_factory=OrderedDict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _closed: bool = False

    def wants(self, kind: Hashable) -> bool:
        """Whether a call of this kind would be taken: not waiting, running or refused already."""
        with self._changed:
            return not (
                self._closed
                or kind in self._waiting
                or kind == self._running
                or kind in self._refused
            )

    def add(self, miss: Miss) -> tuple[bool, Miss | None]:
        """Let `miss` wait; whether it does, and what was given up for it."""
        with self._changed:
            if self._closed or miss.kind in self._waiting or miss.kind in self._refused:
                return False, None
            self._waiting[miss.kind] = miss
            over = self._waiting.popitem(last=False)[1] if len(self._waiting) > self.most else None
            self._changed.notify_all()
            return over is not miss, over

    def take(self) -> Miss | None:
        """The oldest, once there is one; None when closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            _, miss = self._waiting.popitem(last=False)
            self._running = miss.kind
            return miss

    def done(self, refused: str = "") -> None:
        """What was taken is compiled, or is not to be tried again for the reason `refused`."""
        with self._changed:
            if refused:
                self._refused[self._running] = refused
                while len(self._refused) > _MOST_REFUSED:
                    self._refused.popitem(last=False)
            self._running = None
            self._changed.notify_all()

    def wait(self, seconds: float | None) -> bool:
        """Until nothing waits or runs; whether that is so."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._closed or (not self._waiting and self._running is None), seconds
            )

    @property
    def closed(self) -> bool:
        """Whether nothing more is taken."""
        return self._closed

    def close(self) -> list[Miss]:
        """Take nothing more; what will not be compiled."""
        with self._changed:
            self._closed = True
            left = list(self._waiting.values())
            self._waiting.clear()
            self._changed.notify_all()
            return left

    def __len__(self) -> int:
        with self._changed:
            return len(self._waiting) + (self._running is not None)
