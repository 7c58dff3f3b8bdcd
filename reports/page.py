"""What the page's template needs beside the diagnosis: the same facts, grouped for display."""

from __future__ import annotations

import hashlib
import os.path
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.diagnose.calltree import branches

from .device import told_elsewhere
from .forecast_section import Section
from .timeline import Panel, panel
from .words import letters

if TYPE_CHECKING:
    from compilescope.diagnosis import (
        CallSeries,
        Compile,
        Diagnosis,
        FunctionSummary,
        Kernel,
        Recompile,
    )
    from compilescope.model import Finding, GuardFailure, KernelTuned

_MOST_PANELS = 8
EVIDENCE = 12  # recompiles that a cause lists itself; the table at the end has all


@dataclass(frozen=True)
class Branch:
    """A compiled function in the tree of those under which it was compiled."""

    id: str
    item: FunctionSummary
    depth: int


@dataclass(frozen=True)
class Phase:
    """What one phase of compiling took in all compiles."""

    name: str
    seconds: float


class Page:
    """A diagnosis, grouped for display."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.letters = letters(diagnosis)
        self.tree = _tree(diagnosis)
        self.phases = _phases(diagnosis)
        self.restarted = tuple(
            sorted(
                (item for item in diagnosis.compiles if item.wasted or item.attempts > 1),
                key=lambda item: -item.wasted,
            )
        )
        self.wasted = sum(item.wasted for item in self.restarted)
        self.command = shlex.join(diagnosis.command)
        # What logs alone are about cannot be run again from here.
        self.tune = f"compilescope tune -- {self.command}" if self.command else ""
        self._diagnosis = diagnosis
        self._by_cause: dict[str, list[Recompile]] = defaultdict(list)
        for item in diagnosis.recompiles:
            self._by_cause[item.cause].append(item)
        self.break_anchors = distinct(f"break-{item.id}" for item in diagnosis.graph_breaks)
        problems = diagnosis.cudagraphs.problems if diagnosis.cudagraphs else ()
        self.problem_anchors = distinct(
            f"cuda-{identity(item.kind, item.frame.function if item.frame else '', item.why)}"
            for item in problems
        )
        self._kernel_anchors = dict(
            zip(
                map(id, diagnosis.kernels),
                distinct(f"kernel-{identity(item.name)}" for item in diagnosis.kernels),
                strict=True,
            )
        )
        self.prove_in = _first_with_remedies(diagnosis)
        self.notices = tuple(
            item for item in diagnosis.notices if not told_elsewhere(item, diagnosis)
        )
        self.fine_on_device = not any(item.remedies for item in problems) and not any(
            item.causes or item.remedies for item in diagnosis.kernels
        )
        self.forecast = _forecast(diagnosis)
        self.panels = _panels(diagnosis, self.letters)
        self.more_panels = max(0, len(diagnosis.calls) - _MOST_PANELS)
        self.paid = _paid(diagnosis)

    def evidence(self, cause: str) -> tuple[Recompile, ...]:
        """The recompiles of a cause, the dearest first."""
        return tuple(sorted(self._by_cause[cause], key=lambda item: -item.seconds_lost))

    def spread(self, cause: str) -> str:
        """In how many processes a cause recompiled, "" in a run of one process."""
        processes = {item.process for item in self._by_cause[cause]}
        names = [name for name in map(self.process, sorted(processes)) if name]
        if len(names) < 2:
            return f" in {names[0]}" if names else ""
        ranks = all(name.startswith("rank ") for name in names)
        return f" in {len(names)} {'ranks' if ranks else 'processes'}"

    def decisive(self, item: Recompile) -> GuardFailure | None:
        """The guard that turned away the graph which came closest."""
        near = [reason for reason in item.reasons if reason.entry == item.nearest]
        return next(iter(near or item.reasons), None)

    def kernel_anchor(self, kernel: Kernel) -> str:
        """The id of a kernel on the page."""
        return self._kernel_anchors[id(kernel)]

    def tunings(self) -> tuple[KernelTuned, ...]:
        """Every choice among configurations of a kernel, the slowest first."""
        found = (item for kernel in self._diagnosis.kernels for item in kernel.tuned)
        return tuple(sorted(found, key=lambda item: -(item.seconds or 0.0)))

    def process(self, index: int) -> str:
        """The name of a process, "" where there is only one."""
        return _process(self._diagnosis, index)

    def met(self) -> tuple[Finding, ...]:
        """Static findings that the run confirmed, the dearest first."""
        found = (item for item in self._diagnosis.findings if item.times)
        return tuple(sorted(found, key=lambda item: -(item.seconds or 0.0)))

    def not_met(self) -> tuple[Finding, ...]:
        """Static findings that the run did not confirm."""
        return tuple(item for item in self._diagnosis.findings if not item.times)

    def fine(self) -> tuple[FunctionSummary, ...]:
        """Functions that compiled once for every input and broke nowhere."""
        return tuple(
            item
            for item in self._diagnosis.functions
            if item.status == "compiled" and not item.recompiles
        )


def identity(*parts: object) -> str:
    """A short name that is the same in every run of the same code."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:10]


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, the second of the same name with `-2` behind it."""
    seen: dict[str, int] = defaultdict(int)
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name}-{seen[name]}" if seen[name] > 1 else name)
    return tuple(found)


def _tree(diagnosis: Diagnosis) -> tuple[Branch, ...]:
    """Every compiled function below its caller, the dearest branch first."""
    found = [(item, depth) for item, depth, _, _ in branches(diagnosis.functions)]
    # Functions of one name are told apart by their order in the file, which costs do not change.
    frames = sorted((item.frame for item, _ in found), key=lambda frame: (frame.path, frame.line))
    names = distinct(anchor(frame.path, frame.function) for frame in frames)
    ids = dict(zip(frames, names, strict=True))
    return tuple(Branch(ids[item.frame], item, depth) for item, depth in found)


def _phases(diagnosis: Diagnosis) -> tuple[Phase, ...]:
    total: dict[str, float] = defaultdict(float)
    for item in diagnosis.compiles:
        for name, value in item.phases.items():
            total[name] += value
    return tuple(Phase(name, value) for name, value in sorted(total.items(), key=lambda p: -p[1]))


def _first_with_remedies(diagnosis: Diagnosis) -> str:
    """The section that says how a fix is proved: the first with fixes."""
    sections = {
        "causes": diagnosis.causes,
        "breaks": diagnosis.graph_breaks,
        "cudagraphs": diagnosis.cudagraphs.problems if diagnosis.cudagraphs else (),
        "kernels": diagnosis.kernels,
        "notices": diagnosis.notices,
    }
    return next((name for name, items in sections.items() if items), "")


def _forecast(diagnosis: Diagnosis) -> Section | None:
    if diagnosis.forecast is None:
        return None
    names = distinct(
        f"forecast-{identity(item.kind, item.source, item.dimension, item.frame.function)}"
        for item in diagnosis.forecast.causes
    )
    return Section(diagnosis.forecast, names)


def _keyed(diagnosis: Diagnosis) -> Iterator[tuple[str, CallSeries]]:
    """The series that are drawn, each with a name for its place on the page."""
    series = [item for item in diagnosis.calls if item.seconds][:_MOST_PANELS]
    keys = distinct(identity(item.name, *_rank(diagnosis, item.process))[:6] for item in series)
    return zip(keys, series, strict=True)


def _panels(diagnosis: Diagnosis, letter_of: dict[str, str]) -> tuple[Panel, ...]:
    by_callable: dict[tuple[int, int | None], list[Recompile]] = defaultdict(list)
    for item in diagnosis.recompiles:
        by_callable[item.process, item.callable].append(item)
    return tuple(
        panel(
            series,
            by_callable[series.process, series.callable],
            letter_of,
            key,
            _process(diagnosis, series.process),
        )
        for key, series in _keyed(diagnosis)
    )


def _rank(diagnosis: Diagnosis, index: int) -> tuple[str, ...]:
    """What tells a process from others in every run, where there are several."""
    name = _process(diagnosis, index)
    return (name if name.startswith("rank") else f"process {index}",) if name else ()


def _process(diagnosis: Diagnosis, index: int) -> str:
    """The name of a process, "" where there is only one."""
    if len(diagnosis.processes) < 2 or index >= len(diagnosis.processes):
        return ""
    process = diagnosis.processes[index]
    return f"process {process.pid}" if process.rank is None else f"rank {process.rank}"


def _paid(diagnosis: Diagnosis) -> dict[tuple[str, int], tuple[Compile, ...]]:
    """The compiles that a call paid for, by the key of its panel and its number."""
    by_call: dict[tuple[int, int | None, int], list[Compile]] = defaultdict(list)
    for item in diagnosis.compiles:
        if item.call is not None:
            by_call[item.process, item.callable, item.call].append(item)
    return {
        (key, call): tuple(by_call[series.process, series.callable, call])
        for key, series in _keyed(diagnosis)
        for call in series.compiled
    }


def anchor(path: str, function: str) -> str:
    """The id of a function on the page."""
    return "fn-" + identity(os.path.basename(path), function)
