"""The process that makes the trials: one line of JSON on stdout for each thing that it learns.

A process of its own, since a trial is ended by a signal and waited for, and neither may hold up
the screen.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from compilescope.diagnosis import Diagnosis
from compilescope.errors import CompilescopeError
from compilescope.tui.patches import paths_in
from compilescope.tui.tried import News, Order
from compilescope.tune import patching
from compilescope.tune.rank import best_of
from compilescope.tune.run import Found, Plan, save
from compilescope.tune.runs import StoppedError
from compilescope.tune.search import Search
from compilescope.tune.trials import Attempt, Bench, BudgetSpentError, Ran
from compilescope.tuning import Patch

_WIDTH = 60  # stretches that the calls of a trial are shown in


@dataclass
class TellingBench(Bench):
    """A bench that tells each trial, and ends when the causes that were asked for are gone."""

    wanted: frozenset[str] = frozenset()

    def say(self, text: str) -> None:
        """Tell what is run."""
        tell(News(begins=text))

    def told(self, found: Ran) -> None:
        """Tell what came of it."""
        tell(News(trial=found.trial, calls=strip(found.diagnosis)))

    def attempt(self, attempt: Attempt) -> Ran:
        """A run, as long as something is left to be solved."""
        if attempt.candidates and self.wanted and any(self._solves(ran) for ran in self.done):
            raise BudgetSpentError
        return super().attempt(attempt)

    def _solves(self, ran: Ran) -> bool:
        assert self.baseline is not None
        others = set(self.baseline.trial.left) - self.wanted
        # One that solves everything is left to the search, which looks for a smaller one.
        return ran.trial.outcome == "better" and set(ran.trial.left) <= others


def tell(news: News) -> None:
    """Say it to whoever reads along."""
    sys.stdout.buffer.write(msgspec.json.encode(news) + b"\n")
    sys.stdout.buffer.flush()


def strip(diagnosis: Diagnosis) -> tuple[float, ...]:
    """The seconds of the calls of the callable that was called most, in at most 60 stretches."""
    series = max(diagnosis.calls, key=lambda one: len(one.seconds), default=None)
    values = series.seconds if series is not None else ()
    step = -(-len(values) // _WIDTH) or 1
    return tuple(max(values[at : at + step]) for at in range(0, len(values), step))


def make(order: Order, folder: Path) -> None:
    """Make the trials and tell them, and what they come to."""
    bench = TellingBench(
        order.command, order.name, folder, order.runs, order.minutes * 60, quiet=True,
        wanted=frozenset(order.causes),
    )  # fmt: skip
    found = Found(bench, Plan(order.command, order.name, order.runs, order.minutes))
    finished = True
    try:
        _search(found, bench.start(), frozenset(order.causes))
    except (StoppedError, KeyboardInterrupt):
        found.notes.append("stopped before all trials were made")
        finished = False
    except BudgetSpentError:
        found.notes.append("the budget of runs or minutes is spent")
    if bench.baseline is None:
        tell(News(error="stopped before the program had run once"))
        return
    tuning, session = found.result(finished=finished)
    if order.result:
        with suppress(CompilescopeError):
            save(tuning, session, Path(order.result))
    tell(News(tuning=tuning, files=_digests(found.patch), proofs=session.proofs))


def _search(found: Found, base: Ran, wanted: frozenset[str]) -> None:
    bench = found.bench
    causes = {cause.id for cause in base.diagnosis.causes}
    if wanted and not causes & wanted:
        found.notes.append("this run does not have the cause")
        return
    if not (base.trial.measures.recompiles or base.trial.measures.fallbacks):
        found.notes.append("the program does not recompile: nothing to remedy")
        return
    search = Search(bench, notes=found.notes)
    # A cause for which nothing is planned is left alone.
    search.plans.update({name: [] for name in causes - wanted if wanted})
    search.run()
    best = best_of(bench.done)
    if best is not None and best.candidates:
        found.patch = patching.patch(bench, best, apply=False)


def _digests(changed: Patch | None) -> dict[str, str]:
    """What the files of the patch hold now: it is only for these."""
    paths = paths_in(changed.diff) if changed is not None else ()
    return {
        str(path.absolute()): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in map(Path, paths)
        if path.is_file()
    }


def main() -> None:
    """Read the order that the first argument names, and carry it out."""
    file = Path(sys.argv[1]).absolute()
    order = msgspec.json.decode(file.read_bytes(), type=Order)
    os.chdir(order.folder)
    try:
        make(order, file.parent)
    except CompilescopeError as error:
        tell(News(error=f"{error.message}: {error.cause}" if error.cause else error.message))
    except KeyboardInterrupt:
        tell(News(error="stopped"))


if __name__ == "__main__":
    main()
