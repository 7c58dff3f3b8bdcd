"""Modules of serving threads, kept out of what torch.fx traces in another thread.

While it traces, torch.fx replaces `__call__` and `__getattr__` of `nn.Module` for the whole process
(torch 2.6 to 2.14). A module that another thread calls meanwhile is taken for a part of the traced
one: on torch 2.11 that call raised `NameError: module is not installed as a submodule`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.fx._symbolic_trace as tracing

_lock = threading.Lock()
_inside = 0


@contextmanager
def tracing_own_calls_only() -> Iterator[None]:
    """In here what torch.fx replaces on `nn.Module` is seen by the thread that traces alone."""
    global _inside  # noqa: PLW0603  torch's patch is of the process, and so is this
    with _lock:
        _inside += 1
        if _inside == 1:
            tracing._Patcher.patch_method = _patch_method  # type: ignore[method-assign]  # noqa: SLF001
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                tracing._Patcher.patch_method = _torch_patch_method  # type: ignore[method-assign]  # noqa: SLF001


_torch_patch_method: Any = tracing._Patcher.patch_method  # noqa: SLF001


def _patch_method(
    self: Any, cls: type, name: str, new_fn: Callable[..., Any], deduplicate: bool = True
) -> None:
    if cls is torch.nn.Module:
        new_fn = _of_this_thread(getattr(cls, name), new_fn)
    _torch_patch_method(self, cls, name, new_fn, deduplicate)


def _of_this_thread(before: Callable[..., Any], traced: Callable[..., Any]) -> Callable[..., Any]:
    thread = threading.get_ident()

    @functools.wraps(traced)
    def call(*args: Any, **kwargs: Any) -> Any:
        chosen = traced if threading.get_ident() == thread else before
        return chosen(*args, **kwargs)

    return call
