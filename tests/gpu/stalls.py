"""What a slow call waited for: garbage collection, the interpreter lock, or something else.

A watcher thread looks every few milliseconds. While it can, a slow call does not wait for the
interpreter lock, and the stacks of all threads tell where they are. When the watcher itself was
held up, somebody kept the lock, and the stacks that it then finds are right behind that.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
import traceback
from types import FrameType
from typing import Any

_LOOK = 0.004  # seconds between two looks
_SLOW = 0.03  # a call that takes longer is looked at
_DEEP = 6  # frames kept of a stack


class Stalls:
    """Watches a program; `began` is the start of the call that runs, 0 between calls."""

    def __init__(self) -> None:
        self.began = 0.0
        self.seen: list[dict[str, Any]] = []
        self._collecting = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="stalls")

    def __enter__(self) -> Stalls:  # noqa: PYI034  typing has Self from 3.11
        gc.callbacks.append(self._collection)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._collection)
        self._ended.set()
        self._thread.join()

    def _collection(self, phase: str, info: dict[str, int]) -> None:
        now = time.perf_counter()
        if phase == "start":
            self._collecting = now
        elif now - self._collecting > _SLOW / 3:
            self._keep("collection", now - self._collecting, generation=info["generation"])

    def _watch(self) -> None:
        told = 0.0
        while not self._ended.is_set():
            before = time.perf_counter()
            time.sleep(_LOOK)
            now = time.perf_counter()
            began = self.began
            if now - before > _SLOW:
                self._keep("lock held", now - before, stacks=_stacks())
            elif began and now - began > _SLOW and began != told:
                told = began
                self._keep("slow call", now - began, stacks=_stacks())

    def _keep(self, what: str, seconds: float, **more: Any) -> None:
        self.seen.append({"at": time.time(), "what": what, "ms": seconds * 1e3, **more})


def _stacks() -> dict[str, list[str]]:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    found: dict[str, list[str]] = {}
    frames: dict[int, FrameType] = sys._current_frames()
    for ident, frame in frames.items():
        if ident != threading.get_ident():
            stack = traceback.extract_stack(frame)[-_DEEP:]
            found[names.get(ident, str(ident))] = [
                f"{item.filename.rpartition('site-packages/')[2]}:{item.lineno} {item.name}"
                for item in stack
            ]
    return found
