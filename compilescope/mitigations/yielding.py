"""How a background compile keeps out of the way of the threads that serve.

A thread that wants the interpreter lock asks for it after the switch interval, 5 ms by default, and
an eager call wants it anew after each operation. While another thread runs Python, which a compile
mostly is, a call of 200 operations can so take 200 intervals more.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from torch._inductor import config as inductor_config

_NEVER = 1_000_000  # younger collections before a full one
# What torch imports when a graph is first compiled or loaded, with 270 modules in all: seconds with
# the interpreter lock, in which a call waited for up to 0.46 s (torch 2.11, H200).
_COMPILER = (
    "torch._dynamo.repro.after_aot",
    "torch._functorch._aot_autograd.subclass_codegen",
    "torch._inductor.async_compile",
    "torch._inductor.codegen.memory_planning",
    "torch._inductor.compile_fx",
    "torch._inductor.graph",
    "torch._inductor.hooks",
    "torch._inductor.runtime.triton_heuristics",
    "torch._inductor.wrapper_benchmark",
    "torch.fx.experimental.validator",
    "torch.utils.cpp_extension",
)


@dataclass(frozen=True)
class Yielding:
    """What to give way with; each is undone when the compile ends.

    Attributes:
        nice: Added to the niceness of the compiling thread (Linux) or process. By default 0 for a
            thread, since a nice thread that holds the interpreter lock makes others wait for it
            while the machine is full, and 10 for a worker process.
        cores: How many cores the compile may use (Linux); 0 leaves all.
        compilers: Processes that inductor may start; they hold no lock of ours. 0 leaves torch's
            own number.
        switch_interval: Seconds after which a thread must hand on the interpreter lock, for the
            whole process while a compile runs; 0 leaves it.
        freeze_garbage: Whether full garbage collections wait until the compile has ended, and the
            others leave out what existed before it: a full one stops all threads, for up to 0.66 s
            in the middle of a compile (torch 2.11, H200).
    """

    nice: int | None = None
    cores: int = 1
    compilers: int = 2
    switch_interval: float = 0.00001
    freeze_garbage: bool = True


def import_compiler() -> None:
    """Import what compiling and loading graphs need, so that no call waits for that later."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's about its own parts
        for name in _COMPILER:
            # Not all of them are in every torch, and some need triton.
            with suppress(ImportError):
                importlib.import_module(name)


def settle_thread(how: Yielding) -> None:
    """Lower the calling thread for good: on Linux, where niceness and cores are a thread's own."""
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError):
        if how.nice:
            own = threading.get_native_id()
            before = os.getpriority(os.PRIO_PROCESS, own)
            os.setpriority(os.PRIO_PROCESS, own, min(before + how.nice, 19))
        if how.cores:
            # The last ones: interrupts and first threads tend to be on the first.
            allowed = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, allowed[-how.cores :])


@contextmanager
def giving_way(how: Yielding) -> Iterator[None]:
    """The process while a compile runs in one of its threads."""
    compilers = inductor_config.compile_threads
    if how.compilers:
        inductor_config.compile_threads = min(compilers or how.compilers, how.compilers)
    _process.enter(how)
    try:
        yield
    finally:
        _process.leave(how)
        inductor_config.compile_threads = compilers


class _Process:
    """The settings that all threads share: the first compile sets them, the last puts them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._intervals: list[float] = []
        self._before = 0.0
        self._frozen = 0
        self._may_unfreeze = False
        self._thresholds = (0, 0, 0)

    def enter(self, how: Yielding) -> None:
        with self._lock:
            if how.switch_interval:
                if not self._intervals:
                    self._before = sys.getswitchinterval()
                self._intervals.append(how.switch_interval)
                sys.setswitchinterval(min(self._before, *self._intervals))
            if how.freeze_garbage:
                if not self._frozen:
                    # What the program froze itself must stay frozen.
                    self._may_unfreeze = gc.get_freeze_count() == 0
                    if self._may_unfreeze:
                        gc.freeze()
                    self._thresholds = gc.get_threshold()
                    gc.set_threshold(*self._thresholds[:2], _NEVER)
                self._frozen += 1

    def leave(self, how: Yielding) -> None:
        with self._lock:
            if how.switch_interval:
                self._intervals.remove(how.switch_interval)
                left = [self._before, *self._intervals]
                sys.setswitchinterval(min(left))
            if how.freeze_garbage:
                self._frozen -= 1
                if not self._frozen:
                    gc.set_threshold(*self._thresholds)
                    if self._may_unfreeze:
                        gc.unfreeze()


_process = _Process()
