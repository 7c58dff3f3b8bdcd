"""Many settings at a time: all compile side by side, then each is measured alone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compilescope.bench.plan import Plan
from compilescope.bench.process import Child, Found, Processes
from compilescope.benching import Setting

_LOOK = 0.1  # seconds between two looks at the processes
BESIDE = "compiled beside {} others: the time of compiling includes theirs"


@dataclass(frozen=True)
class Job:
    """A setting of a plan."""

    plan: Plan
    processes: Processes
    setting: Setting


def measure(
    jobs: Sequence[Job], patience: float, limit: float, done: Callable[[int, Found], None]
) -> bool:
    """Measure all jobs; whether none was cut short.

    `done` is told of each by its number as soon as it has ended. Those that have not compiled
    after `patience` seconds no longer keep the others waiting; after `limit` seconds all end.

    Raises:
        ProgramError: an interpreter cannot be started.
    """
    began = time.monotonic()
    children: dict[int, Child] = {}
    try:
        for number, job in enumerate(jobs):
            cache = job.processes.new_cache()
            children[number] = job.processes.start(job.setting, cache, measure=True, gated=True)
        return _turns(children, began + patience, began + limit, done)
    except KeyboardInterrupt:
        _stop(children, "interrupted", done)
        return False
    finally:
        for child in children.values():
            child.close()
            shutil.rmtree(child.cache, ignore_errors=True)


def _turns(
    children: dict[int, Child], patience: float, limit: float, done: Callable[[int, Found], None]
) -> bool:
    while children:
        time.sleep(_LOOK)
        for number in [number for number, child in children.items() if child.is_over()]:
            _told(children, number, "", done)
        now = time.monotonic()
        if now > limit:
            _stop(children, "out of time", done)
            return False
        ready = [number for number, child in children.items() if child.is_ready()]
        if ready and (len(ready) == len(children) or now > patience):
            child = children[ready[0]]
            child.go()
            _told(children, ready[0], child.wait(limit - now), done)
    return True


def _stop(children: dict[int, Child], why: str, done: Callable[[int, Found], None]) -> None:
    for number in list(children):
        _told(children, number, why, done)


def _told(
    children: dict[int, Child], number: int, ended: str, done: Callable[[int, Found], None]
) -> None:
    child = children.pop(number)
    child.close()
    shutil.rmtree(child.cache, ignore_errors=True)
    done(number, child.found(ended))
    if ended == "interrupted":
        raise KeyboardInterrupt
