"""Calls side by side in threads, with the main thread free for the user's interrupt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

_TICK = 0.5  # seconds between looks at the keyboard, which some systems need


def results(calls: Iterator[Callable[[], T]], jobs: int, stop: Callable[[], None]) -> Iterator[T]:
    """What `calls` return, each as soon as it is ready; the next call is asked for only then.

    Whatever interrupts it, `stop` is called first: it has to end the calls that are under way.
    """
    with ThreadPoolExecutor(jobs) as pool:
        running: set[Future[T]] = set()
        try:
            while True:
                while len(running) < jobs and (call := next(calls, None)) is not None:
                    running.add(pool.submit(call))
                if not running:
                    return
                done, running = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            stop()
            raise
