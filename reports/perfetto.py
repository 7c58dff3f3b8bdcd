"""The diagnosis as a Chrome trace: calls, compiles and causes on tracks, for ui.perfetto.dev."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope import __version__

from .visible import visible
from .words import letters, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.diagnosis import CallSeries, Cause, Compile, Diagnosis, Recompile, Remedy

_COMPILES, _CAUSES, _CALLS = 1, 2, 10  # numbers of the tracks in a process
_LANES = 1000
_COLORS = {"compiled": "terrible", "eager": "bad", "steady": "good"}  # of chrome://tracing


def render(diagnosis: Diagnosis, /, **_options: Any) -> str:
    """Trace Event JSON; times count from the first event, in microseconds."""
    shown = visible(diagnosis)
    begin = min(_times(shown), default=0.0)
    events = [*_names(shown), *_Tracks(shown, begin).events()]
    content = {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "made by": f"compilescope {__version__}",
            "session": shown.name,
            "verdict": shown.verdict,
            "torch": shown.environment.torch,
            "begin": begin,
            "left out": _left_out(shown),
        },
    }
    return msgspec.json.encode(content).decode() + "\n"


class _Tracks:
    def __init__(self, diagnosis: Diagnosis, begin: float) -> None:
        self._found = diagnosis
        self._begin = begin
        self._letters = letters(diagnosis)
        self._causes = {cause.id: cause for cause in diagnosis.causes}
        self._compiles = {
            (item.process, item.compile_id): item
            for item in reversed(diagnosis.compiles)  # a backward pass comes after its forward
            if item.at is not None
        }

    def events(self) -> Iterator[dict[str, Any]]:
        for number, series in enumerate(self._found.calls):
            yield from self._calls(number, series)
        yield from self._compiled()
        yield from self._recompiled()
        yield from self._broke()

    def _calls(self, number: int, series: CallSeries) -> Iterator[dict[str, Any]]:
        compiled, eager = set(series.compiled), set(series.eager)
        lanes = _Lanes()
        starts = zip(series.at, series.seconds, strict=False)
        for index, (at, seconds) in sorted(enumerate(starts), key=lambda call: call[1]):
            kind = "compiled" if index in compiled else "eager" if index in eager else "steady"
            yield self._slice(
                series.process,
                _CALLS + number + _LANES * lanes.free(at, seconds),
                series.name,
                (at, seconds),
                {"cat": f"call,{kind}", "cname": _COLORS[kind], "args": {"call": index}},
            )

    def _compiled(self) -> Iterator[dict[str, Any]]:
        graphs: dict[int, int] = {}
        lanes: dict[int, _Lanes] = {}
        timed = [item for item in self._found.compiles if item.at is not None]
        for item in sorted(timed, key=lambda item: item.at or 0.0):
            at = item.at or 0.0
            word = {"compiled": "recompile" if item.recompile else "compile"}
            name = (
                f"{word.get(item.outcome, item.outcome)} {item.frame.function} [{item.compile_id}]"
            )
            fields = {"cat": f"compile,{item.outcome}", "args": self._about(item)}
            lane = lanes.setdefault(item.process, _Lanes()).free(at, item.seconds or 0.0)
            track = _COMPILES + _LANES * lane
            yield self._slice(item.process, track, name, (at, item.seconds or 0.0), fields)
            if item.outcome == "compiled":
                graphs[item.process] = graphs.get(item.process, 0) + 1
                yield {
                    "ph": "C", "name": "graphs", "pid": self._pid(item.process),
                    "ts": self._ts(at + (item.seconds or 0.0)),
                    "args": {"graphs": graphs[item.process]},
                }  # fmt: skip

    def _recompiled(self) -> Iterator[dict[str, Any]]:
        series = {(item.process, item.callable): item for item in self._found.calls}
        for item in self._found.recompiles:
            known = self._compiles.get((item.process, item.compile_id))
            at = known.at if known else item.at
            if at is None:
                at = _called_at(series.get((item.process, item.callable)), item)
            cause = self._causes.get(item.cause)
            if at is None:
                continue
            if cause is None:
                name, about = f"recompile of {item.frame.function}: cause unknown", {}
            else:
                name = f"{self._letters[cause.id]}: {cause.kind} {cause.source}".rstrip()
                about = _explained(cause)
            about |= {"compile": item.compile_id, "seconds lost": item.seconds_lost}
            word = "refused" if item.refused else "recompile"
            yield self._mark(item.process, name, at, {"cat": f"cause,{word}", "args": about})

    def _broke(self) -> Iterator[dict[str, Any]]:
        for item in self._found.graph_breaks:
            about = {"why": item.why, "where": place(item.frame), **_fix(item.remedies)}
            name = f"graph break {item.gb_id or item.type}"
            for compiled in self._found.compiles:
                if compiled.compile_id in item.compile_ids and compiled.at is not None:
                    fields = {"cat": "break", "args": {**about, "compile": compiled.compile_id}}
                    yield self._mark(compiled.process, name, compiled.at, fields)

    def _slice(
        self,
        process: int,
        track: int,
        name: str,
        span: tuple[float, float],
        fields: dict[str, Any],
    ) -> dict[str, Any]:
        at, seconds = span
        return {
            "ph": "X", "name": name, "pid": self._pid(process), "tid": track,
            "ts": self._ts(at), "dur": round(seconds * 1e6, 3), **fields,
        }  # fmt: skip

    def _mark(self, process: int, name: str, at: float, fields: dict[str, Any]) -> dict[str, Any]:
        return {
            "ph": "i", "s": "t", "name": name, "pid": self._pid(process), "tid": _CAUSES,
            "ts": self._ts(at), **fields,
        }  # fmt: skip

    def _about(self, item: Compile) -> dict[str, Any]:
        about: dict[str, Any] = {"where": place(item.frame), "outcome": item.outcome}
        about |= {f"{name}, seconds": seconds for name, seconds in item.phases.items()}
        for name in ("graph_ops", "guard_count", "call"):
            value = getattr(item, name)
            about |= {} if value is None else {name.replace("_", " "): value}
        return about

    def _pid(self, process: int) -> int:
        return _pid(self._found, process)

    def _ts(self, at: float) -> float:
        return round((at - self._begin) * 1e6, 3)


class _Lanes:
    """Tracks beside each other: what overlaps without nesting cannot lie on one."""

    def __init__(self) -> None:
        self._ends: list[float] = []

    def free(self, at: float, seconds: float) -> int:
        """The first lane that is free at `at`, taken for so long."""
        lane = next((i for i, end in enumerate(self._ends) if end <= at), len(self._ends))
        self._ends[lane : lane + 1] = [at + seconds]
        return lane


def _called_at(series: CallSeries | None, item: Recompile) -> float | None:
    if series is None or item.call is None or item.call >= len(series.at):
        return None
    return series.at[item.call]


def _explained(cause: Cause) -> dict[str, Any]:
    return {"why": cause.why, "where": place(cause.frame), **_fix(cause.remedies)}


def _fix(remedies: tuple[Remedy, ...]) -> dict[str, str]:
    if not remedies:
        return {}
    first = remedies[0]
    return {"fix": "\n".join(part for part in (first.text, first.snippet) if part)}


def _pid(found: Diagnosis, process: int) -> int:
    return found.processes[process].pid if process < len(found.processes) else process


def _names(found: Diagnosis) -> Iterator[dict[str, Any]]:
    for number in sorted({item.process for item in chain[Any](found.calls, found.compiles)}):
        process = found.processes[number] if number < len(found.processes) else None
        rank = f" rank {process.rank}" if process and process.rank is not None else ""
        yield _meta(found, number, 0, "process_name", f"{found.name or 'process'}{rank}")
        yield _meta(found, number, _COMPILES, "thread_name", "compiles")
        yield _meta(found, number, _CAUSES, "thread_name", "causes and breaks")
    for track, series in enumerate(found.calls):
        name = f"calls of {series.name}"
        yield _meta(found, series.process, _CALLS + track, "thread_name", name)


def _meta(found: Diagnosis, process: int, track: int, kind: str, name: str) -> dict[str, Any]:
    return {
        "ph": "M", "name": kind, "pid": _pid(found, process), "tid": track, "args": {"name": name},
    }  # fmt: skip


def _times(found: Diagnosis) -> Iterable[float]:
    yield from (item.at for item in found.compiles if item.at is not None)
    for series in found.calls:
        yield from series.at


def _left_out(found: Diagnosis) -> str:
    untimed = sum(item.at is None for item in found.compiles)
    return f"{untimed} of {len(found.compiles)} compiles: the record has no time" if untimed else ""
