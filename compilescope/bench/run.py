"""The whole of `bench`: each setting in processes of its own, the verdict, the result."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec

from compilescope import store
from compilescope.bench.plan import Plan
from compilescope.bench.process import Found, Processes
from compilescope.bench.search import candidates
from compilescope.bench.together import BESIDE, Job, measure
from compilescope.bench.trial import cases_of, noted, trial
from compilescope.bench.verdict import best, times, verdict
from compilescope.benching import Benching, Setting, Trial
from compilescope.errors import CompilescopeError, InputError, ProgramError
from compilescope.model import Environment


class Bench:
    """The trials that were made, and what is known of the subject."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.trials: list[Trial] = []
        self.subject = Found()  # the first process that told about it
        self.notes: list[str] = list(plan.notes)
        self._processes = Processes(plan, folder)
        self._stopped = False

    def run(self) -> None:
        """Measure every setting of the plan, and those that a search adds.

        Raises:
            CompilescopeError: the program, function or inputs cannot be measured at all.
        """
        if self.plan.jobs > 1 and len(self.plan.settings) > 1:
            self._together()
        for setting in self._settings():
            if self._stopped:
                break
            if self._processes.left() <= 0:
                self.notes.append("the time is spent: --minutes allows more")
                break
            if setting not in [one.setting for one in self.trials]:
                self._measure(setting)

    def jobs(self) -> list[Job]:
        """The settings of the plan, to be measured together with others."""
        return [Job(self.plan, self._processes, setting) for setting in self.plan.settings]

    def add(
        self,
        setting: Setting,
        cold: Found,
        warm: Found | None = None,
        *,
        beside: int = 0,
        named: bool = False,
    ) -> None:
        """Take in what the processes of a setting found.

        Raises:
            CompilescopeError: the program, function or inputs cannot be measured at all.
        """
        try:
            _usable(cold, self.plan)
        except CompilescopeError:
            self._say("\n" * named)
            raise
        if not self.subject.first("subject"):
            self.subject = cold
            self.notes += noted(cold)
        found = trial(setting, cold, warm if warm and warm.first("warm") else None)
        if beside:
            cautions = (*found.cautions, BESIDE.format(beside))
            found = msgspec.structs.replace(found, cautions=cautions)
        self.trials.append(found)
        told = times(found.ratio) if found.ratio else f"{found.outcome}, {found.why}"
        self._say(f"{told}\n" if named else f"{setting.name}: {told}\n")

    def result(self, seconds: float) -> Benching:
        """Everything that is known."""
        return _result(self, seconds)

    def _settings(self) -> Iterator[Setting]:
        yield from self.plan.settings
        if self.plan.search and not self._stopped:
            yield from candidates(self.trials, cases_of(self.subject), pads=True)

    def _together(self) -> None:
        """Groups of settings that compile side by side."""
        for start in range(0, len(self.plan.settings), self.plan.jobs):
            group = self.jobs()[start : start + self.plan.jobs]
            self._say(f"compiling {len(group)} settings\n")

            def done(number: int, found: Found, group: list[Job] = group) -> None:
                self.add(group[number].setting, found, beside=len(group) - 1)

            left = self._processes.left()
            if not measure(group, left, left, done):
                self._stopped = True
                return

    def _measure(self, setting: Setting) -> None:
        self._say(f"{setting.name}: ")
        with self._processes.cache() as cache:
            cold = self._processes.run(setting, cache, measure=True)
            self._stopped = cold.ended != ""
            warm = None
            if self.plan.warm_cache and cold.first("end") and not self._stopped:
                warm = self._processes.run(setting, cache, measure=False)
                self._stopped = warm.ended == "interrupted"
        self.add(setting, cold, warm, named=True)

    def _say(self, text: str) -> None:
        if not self.plan.quiet:
            print(text, end="", file=sys.stderr, flush=True)


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
        made.run()
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
    return Benching(
        name=made.plan.name,
        what=subject.get("what", "call"),
        environment=msgspec.convert(
            {key: environment[key] for key in Environment.__struct_fields__ if key in environment},
            Environment,
        ),
        device=next(iter(devices), subject.get("device", "")),
        timer=subject.get("timer", ""),
        verdict=verdict(made.trials, chosen, program=not made.plan.call),
        cases=cases_of(made.subject),
        trials=tuple(made.trials),
        best=chosen,
        dtype=subject.get("dtype", ""),
        autocast=", ".join(subject.get("autocast", ())),
        notes=tuple(made.notes),
        seconds=seconds,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
