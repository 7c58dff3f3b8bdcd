"""Times of calls: CUDA events on a GPU, the processor's clock elsewhere."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from .library import torch
from .record import Problem

Step = Callable[[Any], None]
Ready = Callable[[Any], Any]  # what a step is to be given, made before its time begins


class Clock:
    """Times the calls of a block, one after the other."""

    name = "perf_counter"

    def __init__(self, compiles: Callable[[], int], wait: Callable[[], None] | None = None) -> None:
        self._compiles = compiles
        self._wait = wait
        self.compiled: list[int] = []  # calls of the last block that compiled

    def block(self, step: Step, items: Sequence[Any], ready: Ready | None = None) -> list[float]:
        """Seconds of `step` with each of `items`."""
        gc.disable()
        try:
            return self._timed(step, items, ready)
        finally:
            gc.enable()

    def _timed(self, step: Step, items: Sequence[Any], ready: Ready | None) -> list[float]:
        found = []
        self.compiled = []
        for number, one in enumerate(items):
            item = ready(one) if ready else one
            before = self._compiles()
            if self._wait is not None:
                self._wait()
            began = time.perf_counter()
            step(item)
            if self._wait is not None:
                self._wait()
            found.append(time.perf_counter() - began)
            if self._compiles() != before:
                self.compiled.append(number)
        return found


class Events(Clock):
    """Times from CUDA events between calls that follow each other as in a loop."""

    name = "CUDA events"

    def _timed(self, step: Step, items: Sequence[Any], ready: Ready | None) -> list[float]:
        if ready is not None:
            return [self._single(step, ready(item), at) for at, item in enumerate(items)]
        self.compiled = []
        torch.cuda.synchronize()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(len(items) + 1)]
        events[0].record()
        for number, item in enumerate(items):
            before = self._compiles()
            step(item)
            events[number + 1].record()
            if self._compiles() != before:
                self.compiled.append(number)
        torch.cuda.synchronize()
        return [one.elapsed_time(other) / 1e3 for one, other in itertools.pairwise(events)]

    def _single(self, step: Step, item: Any, number: int) -> float:
        """One call by itself: what was copied for it is done before."""
        if number == 0:
            self.compiled = []
        before = self._compiles()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        step(item)
        end.record()
        torch.cuda.synchronize()
        if self._compiles() != before:
            self.compiled.append(number)
        return float(start.elapsed_time(end)) / 1e3


def clock(device: Any, compiles: Callable[[], int]) -> Clock:
    """The clock for calls on `device`.

    Raises:
        Problem: nothing is computed there.
    """
    if device.type == "meta":
        raise Problem("input", "tensors on the device meta hold nothing: no call can be timed")
    if device.type == "cuda":
        return Events(compiles)
    if device.type == "cpu":
        return Clock(compiles)
    return Clock(compiles, torch.accelerator.synchronize)
