"""The GPU stream of the background, apart from those that serve."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch

from compilescope.mitigations.misses import Miss


def moment() -> Any:
    """The moment on the caller's stream at which the copies are made; None without a GPU."""
    if not torch.cuda.is_available():
        return None
    return torch.cuda.current_stream().record_event()


def stream_for(miss: Miss) -> Any:
    """A stream of the background's own, after the copies were made."""
    if miss.ready is None:
        return nullcontext()
    return _OwnStream(miss.ready)


class _OwnStream:
    def __init__(self, ready: Any) -> None:
        self._stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call,unused-ignore]
        self._stream.wait_event(ready)
        self._context: Any = torch.cuda.stream(self._stream)

    def __enter__(self) -> None:
        self._context.__enter__()

    def __exit__(self, *error: object) -> None:
        # The copies are freed after this, back to the stream that made them.
        self._stream.synchronize()
        self._context.__exit__(*error)
