"""Running a graph so that its kernels are loaded and tuned, and nothing else stays of the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

_here = threading.local()


class Rehearsed(Exception):  # noqa: N818  it is no error: the graph ran, and its result is dropped
    """A graph was run on the copies of a call, and the call ends there."""


@contextmanager
def rehearsal(*, on: bool = True) -> Iterator[None]:
    """In here a call of a graph raises Rehearsed once it has run, in this thread."""
    _here.on = on
    try:
        yield
    finally:
        _here.on = False


def rehearsing(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """`compiled`, which also knows rehearsals: then it writes to copies of buffers."""

    def run(*inputs: Any) -> Any:
        if getattr(_here, "on", False):
            compiled(*map(_own_buffer, inputs))
            raise Rehearsed
        return compiled(*inputs)

    return run


def rehearsing_backend(backend: Callable[..., Any]) -> Callable[..., Any]:
    """`backend`, of whose graphs each knows rehearsals."""

    def compile_rehearsing(graph: Any, examples: list[Any]) -> Callable[..., Any]:
        return rehearsing(backend(graph, examples))

    return compile_rehearsing


def _own_buffer(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or isinstance(value, torch.nn.Parameter):
        return value
    if value.layout != torch.strided:
        return value.detach().clone()
    with torch.no_grad():
        if 0 in value.stride() and value.numel():
            made = value.detach()  # expanded: what writes to it fails in eager too
        else:
            made = torch.empty_strided(
                value.shape, value.stride(), dtype=value.dtype, device=value.device
            )
            made.copy_(value)
    return made.requires_grad_(value.requires_grad)
