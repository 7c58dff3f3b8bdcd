"""Trials: runs of the program with remedies, judged beside it as it is, within a budget."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from compilescope.diagnose import diagnose
from compilescope.diagnosis import Diagnosis
from compilescope.model import Session
from compilescope.tune import agreement, judge, rewrites
from compilescope.tune.measure import Notes, measure
from compilescope.tune.pool import results
from compilescope.tune.remedy import Candidate, applied, overlay
from compilescope.tune.runs import Recorded, Runs, StoppedError
from compilescope.tuning import Outputs, Trial

KEPT_INPUTS = 256 * 2**20
_ALLOWANCE = 10  # times what the baseline took
_GRACE = 60.0  # and seconds beside it, before a trial counts as hanging


class BudgetSpentError(Exception):
    """No more runs are allowed, or no more time."""


@dataclass(frozen=True)
class Ran:
    """A trial with all that a next one may be planned from."""

    trial: Trial
    recorded: Recorded
    diagnosis: Diagnosis
    candidates: tuple[Candidate, ...] = ()

    @property
    def session(self) -> Session:
        """The session of the run."""
        return self.recorded.session

    @property
    def notes(self) -> Notes:
        """What the overlay wrote."""
        return self.recorded.notes

    @property
    def warms_up(self) -> bool:
        """Whether calls are made before the program's first."""
        return any(entry.section == "warm_up" for one in self.candidates for entry in one.entries)

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end as it does without remedies, with the same results."""
        return self.trial.outcome not in ("failed", "unfinished", "wrong", "refused")


@dataclass(frozen=True)
class Attempt:
    """A trial that is to be made."""

    candidates: tuple[Candidate, ...] = ()
    label: str = ""
    sources: dict[str, str] | None = None
    before: tuple[Candidate, ...] = ()  # of a run that comes first, and is no trial itself

    @property
    def text(self) -> str:
        """What is tried, for the progress."""
        words = ", ".join(one.text for one in applied(self.candidates))
        return self.label or words or "changed source"


@dataclass
class Bench:
    """Where the trials run, and what is left of the budget."""

    command: tuple[str, ...]
    name: str
    folder: Path
    runs: int = 12
    seconds: float = 1800.0
    warm_cache: bool = False
    sync: bool = False
    quiet: bool = False
    timeout: float | None = None  # of one run
    jobs: int = 1
    stdin: Path = Path(os.devnull)
    reuse: bool = False  # of runs that the folder has
    began: float = field(default_factory=time.monotonic)
    baseline: Ran | None = None
    random: str = ""  # how two plain runs differed
    done: list[Ran] = field(default_factory=list)
    checked: bool = False  # whether the baseline was run twice
    known: Callable[[], None] | None = None  # told of each trial

    def __post_init__(self) -> None:
        self.launch = Runs(
            self.command, self.name, self.folder, self.warm_cache, self.sync, self.stdin,
            self.reuse, self.jobs,
        )  # fmt: skip

    def left(self) -> int:
        """Runs that may still be made; the baseline is not counted."""
        out_of_time = time.monotonic() - self.began > self.seconds
        return 0 if out_of_time else max(0, self.runs - len(self.done))

    def start(self) -> Ran:
        """The program as it is, but for the look at its outputs."""
        self.say("baseline")
        found = self.baseline = self._plain("trial-0", inputs=KEPT_INPUTS)
        self.told(found)
        return found

    def check_outputs(self) -> str:
        """How a second plain run differs from the first, "" where the program repeats itself."""
        if not self.checked and self.baseline is not None:
            self.checked = True
            self.say("baseline again, for its outputs")
            again = self._plain("again")
            first, second = self.baseline, again
            self.random = agreement.difference(first.notes.outputs, second.notes.outputs)
            counts = [one.trial.measures.recompiles for one in (first, second)]
            if not self.random and counts[0] != counts[1]:
                self.random = f"{counts[0]} and {counts[1]} recompiles"
            self._print(f" {self.random or 'the outputs agree'}")
        return self.random

    def attempt(self, attempt: Attempt) -> Ran:
        """A run with what `attempt` says, judged against the baseline.

        Raises:
            BudgetSpentError: it is not allowed any more.
            StoppedError: the user interrupted it.
        """
        if self.left() <= 0:
            raise BudgetSpentError
        return self._one(attempt)

    def beside(self, attempt: Attempt) -> Ran:
        """A run that counts for no budget and is not among the trials.

        Raises:
            StoppedError: the user interrupted it.
        """
        return self._one(attempt, extra=True)

    def attempt_all(self, attempts: Sequence[Attempt]) -> None:
        """Make all of `attempts`, `jobs` of them side by side.

        Raises:
            BudgetSpentError: some are left that it does not allow any more.
            StoppedError: the user interrupted them.
        """
        if self.jobs == 1:
            for attempt in attempts:
                self.attempt(attempt)
            return
        before, started = len(self.done), 0

        def calls() -> Iterator[Callable[[], Ran]]:
            nonlocal started
            for attempt in attempts:
                running = started - (len(self.done) - before)
                if self.left() <= running:
                    return
                started += 1
                yield self._call(f"trial-{before + started}", before + started, attempt)

        for ran in self._together(calls(), self.jobs):
            found = self._judged(ran)
            self.done.append(found)
            self.say(found.trial.label)
            self.told(found)
            self._tell()
        if started < len(attempts):
            raise BudgetSpentError

    def _one(self, attempt: Attempt, *, extra: bool = False) -> Ran:
        self.say(attempt.text)
        number = len(self.done) + 1
        call = self._call(f"{'extra' if extra else 'trial'}-{number}", number, attempt)
        [ran] = self._together(iter([call]))
        found = self._judged(ran)
        if not extra:
            self.done.append(found)
        self.told(found)
        if not extra:
            self._tell()
        return found

    def _plain(self, name: str, **observed: object) -> Ran:
        """A run of the program as it is."""
        content: dict[str, Any] = {"observe": {"outputs": True, **observed}}
        [ran] = self._together(iter([partial(self._run, name, 0, Attempt(), content)]))
        return ran

    def _call(self, name: str, number: int, attempt: Attempt) -> Callable[[], Ran]:
        """What makes `attempt`, with its changed sources in place."""
        content = overlay(attempt.candidates) | {"observe": {"outputs": True}}
        changed, refused = rewrites.texts(attempt.candidates)
        sources = attempt.sources or rewrites.written(changed, self.folder)
        if sources:
            content["sources"] = sources
        if refused:
            content["refused"] = refused
        call = partial(self._run, name, number, attempt, content)
        if not attempt.before:
            return call
        first = self._call(f"before-{name}", 0, Attempt(attempt.before))

        def both() -> Ran:
            first()
            return call()

        return both

    def _together(self, calls: Iterator[Callable[[], Ran]], jobs: int = 1) -> Iterator[Ran]:
        try:
            yield from results(calls, jobs, self.launch.stop)
        except KeyboardInterrupt:
            raise StoppedError from None

    def _tell(self) -> None:
        if self.known is not None:
            self.known()

    def _run(self, name: str, number: int, attempt: Attempt, content: dict[str, Any]) -> Ran:
        recorded = self.launch.run(name, content, self._limit())
        diagnosis = diagnose(recorded.session)
        trial = Trial(
            number=number,
            remedies=applied(attempt.candidates),
            measures=measure(recorded.session, diagnosis, recorded.notes),
            outcome="baseline",
            left=tuple(cause.id for cause in diagnosis.causes),
            refused=(
                *content.get("refused", ()),
                *recorded.notes.refused,
                *rewrites.unused(content.get("sources", ()), recorded.notes.applied),
            ),
            session=str(recorded.path),
            overlay=msgspec.json.encode(content).decode(),
            label=attempt.label,
            reused=recorded.reused,
        )
        return Ran(trial, recorded, diagnosis, attempt.candidates)

    def _limit(self) -> float:
        """Seconds that a run may take."""
        left = max(_GRACE, self.seconds - (time.monotonic() - self.began))
        if self.timeout is not None:
            return min(self.timeout, left)
        took = self.baseline.trial.measures.total if self.baseline else None
        return left if took is None else min(left, took * _ALLOWANCE * self.jobs + _GRACE)

    def _judged(self, ran: Ran) -> Ran:
        base = self.baseline
        assert base is not None
        outputs, difference = self._outputs(base, ran)
        outcome, why = judge.outcome(base, ran, difference, outputs)
        trial = msgspec.structs.replace(ran.trial, outcome=outcome, why=why, outputs=outputs)
        return Ran(trial, ran.recorded, ran.diagnosis, ran.candidates)

    def _outputs(self, base: Ran, found: Ran) -> tuple[Outputs, str]:
        if judge.failed(base, found) or not agreement.compared(base.notes.outputs):
            return "not compared", ""
        if self.random:
            return "random", ""
        difference = judge.differs(base, found)
        if not difference:
            return "agree", ""
        if not self.checked:
            self._print(" other outputs")
        if self.check_outputs():
            return "random", ""
        return "differ", difference

    def say(self, text: str) -> None:
        """Show what is run, on stderr."""
        short = text if len(text) <= 90 else f"{text[:89]}…"
        self._print(f"[{len(self.done)}/{self.runs}] {short}:", end="")

    def told(self, found: Ran) -> None:
        """Show what came of it."""
        kept = ", kept from an earlier run" if found.trial.reused else ""
        count = found.trial.measures.recompiles
        self._print(f" {count} recompile{'s' * (count != 1)}, {found.trial.outcome}{kept}")

    def _print(self, text: str, end: str = "\n") -> None:
        if not self.quiet:
            print(text, end=end, file=sys.stderr, flush=True)
