"""Many settings at a time: all compile side by side, then each is measured alone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compilescope.bench.plan import Plan
from compilescope.bench.process import Child, Found, Processes
from compilescope.bench.progress import Progress
from compilescope.benching import Setting

_LOOK = 0.1  # seconds between two looks at the processes
Done = Callable[[int, Found], None]


@dataclass(frozen=True)
class Job:
    """A setting of a plan."""

    plan: Plan
    processes: Processes
    setting: Setting


def measure(
    jobs: Sequence[Job],
    patience: float,
    limit: float,
    done: Done,
    progress: Progress | None = None,
) -> bool:
    """Measure all jobs; whether no interrupt cut this short.

    `done` is told of each by its number as soon as it has ended. Those that have not compiled
    after `patience` seconds no longer keep the others waiting; after `limit` seconds all end.

    Raises:
        ProgramError: an interpreter cannot be started.
    """
    group = _Group(done, progress or Progress(quiet=True))
    began = time.monotonic()
    try:
        for number, job in enumerate(jobs):
            cache = job.processes.new_cache()
            group.children[number] = job.processes.start(
                job.setting, cache, measure=True, gated=True, beside=len(jobs)
            )
        group.turns(began + patience, began + limit)
    except KeyboardInterrupt:
        group.stop("interrupted")
        return False
    finally:
        for child in group.children.values():
            child.close()
            shutil.rmtree(child.cache, ignore_errors=True)
    return True


class _Group:
    """The processes that are not over yet, by the number of their jobs."""

    def __init__(self, done: Done, progress: Progress) -> None:
        self.children: dict[int, Child] = {}
        self._done = done
        self._progress = progress
        self._compiled: set[int] = set()

    def turns(self, patience: float, limit: float) -> None:
        """Measure one after the other as they are ready, until `limit` on the clock."""
        while self.children:
            time.sleep(_LOOK)
            for number in [one for one, child in self.children.items() if child.is_over()]:
                self._over(number, "")
            now = time.monotonic()
            if now > limit:
                self.stop("out of time")
                return
            ready = self._ready()
            if ready and (len(ready) == len(self.children) or now > patience):
                self._turn(ready[0], limit - now, compiling=len(self.children) - len(ready))
            self._progress.watch(self.children.values())

    def stop(self, why: str) -> None:
        """End all that are left."""
        for number in list(self.children):
            self._over(number, why)

    def _ready(self) -> list[int]:
        ready = [number for number, child in self.children.items() if child.is_ready()]
        for number in ready:
            if number not in self._compiled:
                self._compiled.add(number)
                child = self.children[number]
                self._progress.say(f"{child.setting.name}: compiled ({child.age():.0f} s)")
        return ready

    def _turn(self, number: int, seconds: float, *, compiling: int) -> None:
        child = self.children[number]
        child.go()
        ended = child.wait(seconds)
        if ended == "interrupted":
            raise KeyboardInterrupt
        self._over(number, ended, compiling)

    def _over(self, number: int, ended: str, compiling: int = 0) -> None:
        child = self.children.pop(number)
        child.close()
        shutil.rmtree(child.cache, ignore_errors=True)
        found = child.found(ended)
        found.compiling = compiling
        self._done(number, found)
