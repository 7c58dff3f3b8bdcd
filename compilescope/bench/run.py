"""The whole of `bench`: each setting in processes of its own, the verdict, the result."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec

from compilescope import store
from compilescope.bench.advice import Advice
from compilescope.bench.plan import Plan
from compilescope.bench.process import Found, Processes
from compilescope.bench.progress import Progress
from compilescope.bench.search import Known, Search
from compilescope.bench.together import Job, measure
from compilescope.bench.trial import cases_of, noted, trial
from compilescope.bench.verdict import best, times, told_of, verdict
from compilescope.benching import Benching, Setting, Trial
from compilescope.errors import CompilescopeError, InputError, ProgramError
from compilescope.model import Environment
from compilescope.probe.signals import ended_like_an_interrupt

_ROOM = 4.0  # times what compiling took, that must be left to do it once more, and from the cache
_SHARED = "compiled beside"  # the beginning of a caution
_PATIENCE = 0.6  # of a group's time: then those that have compiled no longer wait for the others


class Bench:
    """The trials that were made, and what is known of the subject."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.trials: list[Trial] = []
        self.subject = Found()  # the first process that told about it
        self.notes: list[str] = list(plan.notes)
        self._processes = Processes(plan, folder)
        self._progress = Progress(quiet=plan.quiet)
        self._tried: list[Setting] = []
        self._beside: dict[Setting, Found] = {}  # those that were compiled beside others
        self._interrupted = False

    def run(self) -> None:
        """Measure every setting of the plan, and those that a search adds.

        Raises:
            CompilescopeError: the program, function or inputs cannot be measured at all.
        """
        search = Search(self.plan.settings, side_by_side=self.plan.jobs > 1)
        rounds: Iterable[tuple[Setting, ...]] = [self.plan.settings]
        if self.plan.search:
            rounds = search.rounds(self.trials, self._known)
        missed: list[Setting] = []
        for settings in rounds:
            fresh = [one for one in dict.fromkeys(settings) if one not in self._tried + missed]
            missed += self._round(fresh, more=self.plan.search and not search.ends)
        self._compile_best_alone()
        if missed:
            why = "interrupted" if self._interrupted else "the time is spent (--minutes)"
            self.notes.append(f"not tried, {why}: {'; '.join(one.name for one in missed)}")
        self.notes += search.left_out

    def jobs(self) -> list[Job]:
        """The settings of the plan, to be measured together with others."""
        return self._jobs(self.plan.settings)

    def add(
        self, setting: Setting, cold: Found, warm: Found | None = None, *, beside: int = 0
    ) -> None:
        """Take in what the processes of a setting found.

        Raises:
            CompilescopeError: the program, function or inputs cannot be measured at all.
        """
        _usable(cold, self.plan)
        if not self.subject.first("subject"):
            self.subject = cold
            self.notes += noted(cold)
        if setting not in self.plan.settings and cold.first("problem").get("stage") == "setting":
            self._progress.say(f"{setting.name}: does not apply, {cold.first('problem')['text']}")
            return
        if beside:
            self._beside[setting] = cold
        found = trial(setting, cold, warm if warm and warm.first("warm") else None)
        self.trials.append(_with(found, _beside(setting, beside, cold.compiling)))
        told = times(found.ratio) if found.ratio else f"{found.outcome}, {found.why}"
        self._progress.say(f"{setting.name}: {told}")

    def result(self, seconds: float) -> Benching:
        """Everything that is known."""
        return _result(self, seconds)

    def _known(self) -> Known:
        told = self.subject.first("subject")
        backend = str(told.get("options", {}).get("backend", "inductor")).strip("'")
        return Known(cases_of(self.subject), told.get("device", ""), backend)

    def _round(self, settings: Sequence[Setting], *, more: bool) -> list[Setting]:
        """Measure `settings`, as many at a time as the plan says; those that were not tried."""
        width = self.plan.jobs
        for start in range(0, len(settings), width):
            group, rest = settings[start : start + width], settings[start + width :]
            left = self._processes.left()
            if self._interrupted or left <= 0:
                return list(settings[start:])
            self._tried += group
            # What takes too long must not take all the time from what comes after it.
            limit = left / 2 if rest or more else left
            if len(group) > 1:
                self._together(group, limit)
            else:
                self._alone(group[0], limit)
        return []

    def _together(self, group: Sequence[Setting], limit: float) -> None:
        crowded: dict[Setting, Found] = {}

        def done(number: int, found: Found) -> None:
            if "OutOfMemoryError" in found.first("problem").get("cause", ""):
                crowded[group[number]] = found
            else:
                self.add(group[number], found, beside=len(group) - 1)

        names = "; ".join(one.name for one in group)
        self._progress.say(f"compiling {len(group)} settings side by side: {names}")
        patience = _PATIENCE * limit
        ended = measure(self._jobs(group), patience, limit, done, self._progress)
        self._interrupted = not ended
        for setting, found in crowded.items():
            left = self._processes.left()
            if self._interrupted or left <= 0:
                self.add(setting, found, beside=len(group) - 1)
            else:
                self._progress.say(f"{setting.name}: out of memory beside the others, alone now")
                self._alone(setting, left)

    def _compile_best_alone(self) -> None:
        """What compiling the best costs, cold and cached, where others compiled beside it."""
        chosen = best(self.trials)
        one = self.trials[chosen] if chosen is not None else None
        measured = self._beside.get(one.setting) if one else None
        if chosen is None or one is None or one.cold is None or measured is None:
            return
        enough = self._processes.left() > _ROOM * one.cold.seconds
        if self._interrupted or not self.plan.warm_cache or not enough:
            return
        self._progress.say(f"{one.name}: compiling alone, for its cost")
        with self._processes.cache() as cache:
            found = [self._processes.run(one.setting, cache, self._processes.left(),
                                         self._progress, measure=False)
                     for _ in ("cold", "from the cache")]  # fmt: skip
        self._interrupted = any(run.ended == "interrupted" for run in found)
        if all(run.first("end") for run in found):
            alone = trial(one.setting, measured, found[1], alone=found[0])
            kept = [text for text in one.cautions if not text.startswith(_SHARED)]
            self.trials[chosen] = msgspec.structs.replace(alone, cautions=tuple(kept))

    def _jobs(self, settings: Sequence[Setting]) -> list[Job]:
        return [Job(self.plan, self._processes, setting) for setting in settings]

    def _alone(self, setting: Setting, limit: float) -> None:
        self._progress.say(f"{setting.name}: starting")
        with self._processes.cache() as cache:
            cold = self._processes.run(setting, cache, limit, self._progress, measure=True)
            warm = None
            if self.plan.warm_cache and cold.first("end") and not cold.ended:
                self._progress.say(f"{setting.name}: measured; once more, from the cache")
                left = self._processes.left()
                warm = self._processes.run(setting, cache, left, self._progress, measure=False)
        self._interrupted = "interrupted" in (cold.ended, warm.ended if warm else "")
        self.add(setting, cold, warm)


def _with(found: Trial, cautions: Iterable[str]) -> Trial:
    return msgspec.structs.replace(found, cautions=(*found.cautions, *cautions))


def _beside(setting: Setting, others: int, compiling: int) -> Iterator[str]:
    """What to be careful about where `others` were compiled at the same time."""
    if others:
        word = f"{others} other{'s' * (others > 1)}"
        yield f"{_SHARED} {word}: the time of compiling includes theirs"
        if setting.mode.startswith("max-autotune"):
            yield "its kernels were chosen by timings beside other compiles"
    if compiling:
        word = f"{compiling} other{'s' * (compiling > 1)}"
        yield f"{word} still compiled while it was measured"


def bench(plan: Plan) -> Benching:
    """Measure what the plan names; an interrupt keeps what is known.

    Raises:
        InputError: the function or program cannot be measured, and why.
        ProgramError: the interpreter cannot be started, or has no torch.
    """
    began = time.monotonic()
    folder = plan.keep or Path(tempfile.mkdtemp(prefix="compilescope-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    made = Bench(plan, folder)
    try:
        with ended_like_an_interrupt():
            made.run()
    except KeyboardInterrupt:  # between two processes
        made.notes.append("interrupted before everything was tried")
    finally:
        if plan.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    return made.result(time.monotonic() - began)


def save(found: Benching, path: Path) -> None:
    """Write the result as JSON.

    Raises:
        InputError: the file cannot be written.
    """
    store.write(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n", path)


def _usable(found: Found, plan: Plan) -> None:
    """Raise where nothing can be measured, in whatever setting."""
    problem: dict[str, Any] = found.first("problem")
    if problem.get("stage") == "torch":
        raise ProgramError(
            f"{plan.python} has no torch",
            cause=problem["cause"],
            hint="--python PATH names the interpreter of your project",
        )
    if problem.get("stage") == "input":
        raise InputError(problem["text"], cause=problem["cause"], hint=problem["hint"])
    if not found.records and not found.ended:
        raise CompilescopeError(
            "the measuring process ended before it began",
            cause=f"exit code {found.code}{_printed(found)}",
            hint="--python PATH names the interpreter of your project",
        )


def _printed(found: Found) -> str:
    text = found.log.read_text(errors="replace").strip() if found.log else ""
    return f": {text.splitlines()[-1][:300]}" if text else ""


def _result(made: Bench, seconds: float) -> Benching:
    subject = made.subject.first("subject")
    environment = made.subject.first("environment")
    chosen = best(made.trials)
    devices = environment.get("devices", ())
    torch = environment.get("torch", "")
    advice = Advice(made.plan, told_of(made.trials, chosen), torch)
    return Benching(
        name=made.plan.name,
        what=subject.get("what", "call"),
        environment=msgspec.convert(
            {key: environment[key] for key in Environment.__struct_fields__ if key in environment},
            Environment,
        ),
        device=next(iter(devices), subject.get("device", "")),
        timer=subject.get("timer", ""),
        verdict=verdict(made.trials, chosen, advice.short),
        cases=cases_of(made.subject),
        trials=tuple(made.trials),
        best=chosen,
        dtype=subject.get("dtype", ""),
        autocast=", ".join(subject.get("autocast", ())),
        notes=(*made.notes, *advice.notes()),
        seconds=seconds,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
