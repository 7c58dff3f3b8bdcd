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
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from compilescope.diagnosis import Diagnosis
from compilescope.errors import CompilescopeError
from compilescope.tui.patches import paths_in
from compilescope.tui.tried import News, Order
from compilescope.tune import patching
from compilescope.tune.proofs import proofs_of
from compilescope.tune.remedy import Candidate
from compilescope.tune.run import best_of, save
from compilescope.tune.runs import StoppedError
from compilescope.tune.search import Search
from compilescope.tune.trials import Bench, BudgetSpentError, Ran
from compilescope.tuning import Patch, Tuning

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

    def attempt(
        self,
        candidates: tuple[Candidate, ...],
        label: str = "",
        sources: dict[str, str] | None = None,
    ) -> Ran:
        """A run, as long as something is left to be solved."""
        if candidates and self.wanted and any(self._solves(ran) for ran in self.done):
            raise BudgetSpentError
        return super().attempt(candidates, label, sources)

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
    notes: list[str] = []
    changed = None
    try:
        base = bench.start()
        changed = _search(bench, base, order, notes)
    except (StoppedError, KeyboardInterrupt):
        notes.append("stopped before all trials were made")
    except BudgetSpentError:
        notes.append("the budget of runs or minutes is spent")
    if bench.baseline is None:
        tell(News(error="stopped before the program had run once"))
        return
    _conclude(bench, bench.baseline, order, notes, changed)


def _search(bench: TellingBench, base: Ran, order: Order, notes: list[str]) -> Patch | None:
    search = Search(bench)
    found = {cause.id for cause in base.diagnosis.causes}
    if order.causes and not found & bench.wanted:
        notes.append("this run does not have the cause")
        return None
    if not (base.trial.measures.recompiles or base.trial.measures.fallbacks):
        notes.append("the program does not recompile: nothing to remedy")
        return None
    # A cause for which nothing is planned is left alone.
    search.plans.update({name: [] for name in found - bench.wanted if order.causes})
    search.run()
    best = best_of(bench)
    if best is None or not best.candidates:
        return None
    return patching.patch(bench, best, apply=False)


def _conclude(
    bench: TellingBench, base: Ran, order: Order, notes: list[str], changed: Patch | None
) -> None:
    best = best_of(bench)
    tuning = Tuning(
        name=order.name,
        command=order.command,
        environment=base.session.environment,
        baseline=base.trial,
        trials=tuple(one.trial for one in bench.done),
        best=best.trial.number if best else None,
        patch=changed,
        notes=tuple(notes),
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    proofs = proofs_of(base.diagnosis, base.trial, tuning.trials)
    if order.result:
        with suppress(CompilescopeError):
            save(tuning, msgspec.structs.replace(base.session, proofs=proofs), Path(order.result))
    told = tuple((one.remedy, one.cause, one.text) for one in proofs)
    tell(News(tuning=tuning, files=_digests(changed), proofs=told))


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
