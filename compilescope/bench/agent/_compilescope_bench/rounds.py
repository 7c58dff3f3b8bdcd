"""Warm-up, then eager and compiled in turns until the time is spent."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from typing import Any

from .machine import gpu_clock
from .record import Record
from .steps import Variant
from .subject import Subject
from .timing import Clock

_BLOCK = 0.02  # seconds of a block, at least
_MOST_PASSES = 50  # in a block
_MOST_ROUNDS = 200
_FEWEST_ROUNDS = 6
_FEWEST_SLOW = 3  # where calls are slow
_EMPTY_CALLS = 501
_RESTLESS = 10  # passes that compile, one after the other, until it is given up


class Rounds:
    """Runs blocks of calls and writes each down."""

    def __init__(self, subject: Subject, clock: Clock, record: Record, seconds: float) -> None:
        self._subject = subject
        self._clock = clock
        self._record = record
        self._seconds = seconds
        self._parent = os.getppid()
        self._pass: dict[str, float] = {}  # seconds of one pass over all cases

    def warm_up(self, variant: Variant, compiles: Callable[[], Any], share: float = 0.3) -> bool:
        """Pass over the inputs until nothing compiles any more; whether that came."""
        began = time.perf_counter()
        quiet = noisy = passes = 0
        while True:
            compiled, seconds = False, 0.0
            for case in range(len(variant.items)):
                times = self._block(variant, case, 1, "warm", 0)
                seconds += sum(times)
                compiled |= bool(self._clock.compiled)
            compiles()
            passes += 1
            quiet = 0 if compiled else quiet + 1
            noisy = noisy + 1 if compiled else 0
            self._pass[variant.name] = seconds
            enough = time.perf_counter() - began > share * self._seconds or passes >= 12
            # A second quiet pass shows that the first was no chance; CUDA graphs need a third.
            if quiet >= (2 if seconds > 1 else 3) and enough:
                return True
            if noisy >= _RESTLESS:
                return False

    def run_again(self, variants: tuple[Variant, ...], compiles: Callable[[], Any]) -> None:
        """As `run`, for a second look: not where the calls are so slow that it would take long."""
        if 2 * _FEWEST_SLOW * max(self._pass.values(), default=0.0) <= 4 * self._seconds:
            self.run(variants, compiles)

    def run(self, variants: tuple[Variant, ...], compiles: Callable[[], Any]) -> None:
        """Blocks of one variant and the other, in changing order, for the time that there is."""
        slowest = max(self._pass.values(), default=1.0)
        passes = max(1, min(_MOST_PASSES, math.ceil(_BLOCK / max(slowest, 1e-7))))
        began = time.perf_counter()
        number = 0
        while number < _MOST_ROUNDS:
            spent = time.perf_counter() - began
            fewest = _FEWEST_SLOW if spent > 1.5 * self._seconds else _FEWEST_ROUNDS
            if spent > self._seconds and number >= fewest:
                break
            self._stop_with_parent()
            order = variants if number % 2 == 0 else variants[::-1]
            for case in range(len(self._subject.cases)):
                for variant in order:
                    self._block(variant, case, passes, "round", number)
            compiles()
            if number % 10 == 0:
                clock = gpu_clock(self._subject.device)
                self._record.write("machine", round=number, clock=clock)
            number += 1

    def overhead(self) -> float:
        """Seconds that a call which does nothing is seen to take."""
        if self._subject.train or self._subject.device.type != "cpu":
            return 0.0  # steps and kernels take far longer
        empty = Variant("", lambda *_, **__: None, self._subject)
        times = self._clock.block(empty.step, self._subject.inputs[:1] * _EMPTY_CALLS)
        return sorted(times)[_EMPTY_CALLS // 2]

    def _block(
        self, variant: Variant, case: int, passes: int, phase: str, number: int
    ) -> list[float]:
        items = variant.items[case] * passes
        with self._subject.surrounded():
            times = self._clock.block(variant.step, items, variant.input if variant.anew else None)
        self._record.write(
            "block",
            variant=variant.name,
            case=case,
            phase=phase,
            round=number,
            seconds=[float(f"{value:.6g}") for value in times],
            compiled=self._clock.compiled,
        )
        return times

    def _stop_with_parent(self) -> None:
        if os.getppid() != self._parent:
            raise SystemExit(3)
