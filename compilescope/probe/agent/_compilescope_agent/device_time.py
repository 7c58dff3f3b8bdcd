"""The device's own time for each call, from CUDA events around it; only where it was asked for.

Nothing waits for the device: an event is looked at again in later calls, and at the end.
"""

from __future__ import annotations

import atexit
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from .call_log import CallLog

if TYPE_CHECKING:
    from .record import Record

_AT_ONCE = 4  # measured calls that are looked at in one call
_MOST_WAITING = 10_000
_PATIENCE = 2.0  # seconds at the end for work that is still running

Waiting = tuple[int, int, int, Any, Any]  # device, callable, index, first event, last event


class DeviceClock:
    """Puts one event before and one behind each call, on the stream that is current there."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._log = CallLog(record, "device", b"D %d %d %d %d\n")
        self._waiting: deque[Waiting] = deque()
        self._free: dict[int, list[Any]] = {}
        self._works = True
        self._cuda: Any = None
        record.on_fork(self._after_fork)
        atexit.register(self.end)

    def begin(self) -> Any:
        """An event that the device meets before the call's work; None where there is no device."""
        if not self._works:
            return None
        cuda = self._cuda
        if cuda is None:
            cuda = getattr(sys.modules.get("torch"), "cuda", None)
            if cuda is None or not cuda.is_initialized():
                return None
            self._cuda = cuda
        try:
            # An event inside of a program's own recording would become a part of its graph.
            if cuda.is_current_stream_capturing():
                return None
            device = cuda.current_device()
            event = self._event(device)
            event.record()
        except Exception as error:  # noqa: BLE001
            self._give_up(error)
            return None
        return device, event

    def finish(self, begun: Any, number: int, index: int) -> None:
        """Put the second event behind the call's work, and read what has become ready."""
        device, first = begun
        try:
            if self._cuda.is_current_stream_capturing():
                return
            if self._cuda.current_device() == device and len(self._waiting) < _MOST_WAITING:
                last = self._event(device)
                last.record()
                self._waiting.append((device, number, index, first, last))
            self._collect(_AT_ONCE)
        except Exception as error:  # noqa: BLE001
            self._give_up(error)

    def end(self) -> None:
        """Read the rest; what is not ready after a short while is given up."""
        deadline = time.monotonic() + _PATIENCE
        try:
            while self._waiting and time.monotonic() < deadline:
                self._collect(len(self._waiting))
                if self._waiting:
                    time.sleep(0.005)
        except Exception as error:  # noqa: BLE001
            self._give_up(error)
        if self._waiting:
            why = f"the device was still at work on {len(self._waiting)} calls at the end"
            self._record.note("missing", what="device time", why=why)
            self._waiting.clear()

    def _collect(self, most: int) -> None:
        for _ in range(most):
            if not self._waiting or not self._waiting[0][4].query():
                return
            device, number, index, first, last = self._waiting.popleft()
            self._log.add(number, index, 1, int(first.elapsed_time(last) * 1e6))
            self._free.setdefault(device, []).extend((first, last))

    def _event(self, device: int) -> Any:
        free = self._free.get(device)
        return free.pop() if free else self._cuda.Event(enable_timing=True)

    def _give_up(self, error: Exception) -> None:
        self._works = False
        self._waiting.clear()
        self._record.trouble("device time", error)

    def _after_fork(self) -> None:
        self._waiting.clear()  # a forked child cannot use its parent's device
        self._free.clear()
        self._works = False
