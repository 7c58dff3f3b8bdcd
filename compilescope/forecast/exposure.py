"""From what the exploration compiled to causes, costs and limits. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.diagnose import diagnose
from compilescope.forecast.factors import with_causes
from compilescope.forecast.fixed import entries, names
from compilescope.forecast.order import ordered
from compilescope.forecast.remedies import planned
from compilescope.forecast.state import states
from compilescope.model import (
    Called,
    Compiled,
    Forecast,
    ForecastCall,
    ForecastCallable,
    ForecastCause,
    ForecastFixed,
    ForecastFrame,
    ForecastState,
    ForecastWarmup,
    Recompiled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.diagnosis import Cause, Diagnosis
    from compilescope.forecast.findings import Findings, Found
    from compilescope.model import Event, Frame, Session

_AFTER = 1_000_000  # calls of the exploration are numbered from here, behind the program's own
_LIMITS = ("recompile_limit", "cache_size_limit")


@dataclass(frozen=True)
class Scratch:
    """The exploration: its own session, and what it was about."""

    session: Session | None
    findings: Findings


def exposure(session: Session, scratch: Scratch) -> Forecast:
    """What `session`'s program would still compile."""
    findings = scratch.findings
    stopped = findings.stopped or ("" if findings.found else "no compiled callable was called")
    if scratch.session is None:
        return Forecast(stopped=stopped)
    if not findings.finished and not stopped:
        stopped = "the exploration ended before it was done"
    process = _process(session)
    stopped = stopped or _raised(session, findings)
    explored = list(_explored(scratch.session, findings, process))
    compiled = {event.compile_id: event for event in explored if isinstance(event, Compiled)}
    costs = _Costs(session)
    found = [replace(item, call=_priced(item, compiled, costs)) for item in findings.calls]
    merged = structs.replace(session, events=(*session.events, *explored))
    diagnosis = diagnose(merged)
    new = {event.compile_id for event in explored if isinstance(event, Recompiled)}
    counted = {name for item in found if item.call.what == "graph" for name in item.ids}
    met = {item.cause for item in diagnosis.recompiles if item.compile_id in new & counted}
    explained, happened = _explained(diagnosis, new)
    calls, causes = with_causes(found, explained, happened)
    fixed = entries(found, explained, findings)
    graphs = [call for call in calls if call.what == "graph"]
    return Forecast(
        calls=calls,
        causes=causes,
        frames=tuple(_frames(session, graphs, process)),
        callables=tuple(_callables(session, findings, fixed)),
        stopped=stopped,
        seconds=_sum([call.seconds for call in graphs]),
        remedies=planned(merged, diagnosis, met),
        warmup=_warmup(calls, findings, costs.paid(process)),
        fixed=fixed,
        state=_beside(causes, states(session, diagnosis, process, happened)),
    )


def _raised(session: Session, findings: Findings) -> str:
    """Why nothing was explored though there were calls: none of them had a result."""
    calls = [event for event in session.events if isinstance(event, Called)]
    if findings.summaries or not calls or not all(call.error for call in calls):
        return ""
    errors = ", ".join(dict.fromkeys(call.error.rpartition(".")[2] for call in calls))
    return f"every call so far raised: {errors}"


def _beside(
    causes: tuple[ForecastCause, ...], found: tuple[ForecastState, ...]
) -> tuple[ForecastState, ...]:
    """What the exploration did not meet itself: state that moves on at each call is a cause."""
    named = {cause.source for cause in causes}
    return tuple(item for item in found if item.source not in named)


def _warmup(
    calls: tuple[ForecastCall, ...], findings: Findings, paid: dict[str, float]
) -> ForecastWarmup | None:
    """The calls to make, the smallest set where the exploration had the time to find it."""
    chosen: list[int] = []
    for number in sorted({call.callable for call in calls}):
        places = {
            item.number: place
            for place, item in enumerate(findings.calls)
            if item.call.callable == number
        }
        cover = findings.covers.get(number)
        if cover is None:
            chosen += ordered(calls, number)
        else:
            chosen += [places[one] for one in cover]
    if not chosen:
        return None
    return ForecastWarmup(calls=tuple(chosen), seconds=_time(chosen, calls, findings, paid))


def _time(
    chosen: list[int],
    calls: tuple[ForecastCall, ...],
    findings: Findings,
    paid: dict[str, float],
) -> float | None:
    """What the compiles of the chosen calls take: those of the run as they took it."""
    known: dict[int, list[float]] = {}
    for place in chosen:
        seen = [paid[name] for name in findings.calls[place].ids if name in paid]
        seconds = sum(seen) if calls[place].what == "observed" and seen else calls[place].seconds
        if seconds is not None:
            known.setdefault(calls[place].callable, []).append(seconds)
    total = 0.0
    for number, count in Counter(calls[place].callable for place in chosen).items():
        if number not in known:
            return None
        # An ordinary input that a graph of the run served compiles one as its like do.
        total += mean(known[number]) * count
    return total


def _process(session: Session) -> int:
    called = [event.process for event in session.events if isinstance(event, Called)]
    return called[0] if called else 0


def _explored(scratch: Session, findings: Findings, process: int) -> Iterator[Event]:
    """The exploration's events as if the program itself had made these calls."""
    numbers = {
        place: findings.numbers.get(agent, 0)
        for place, agent in enumerate(sorted(findings.numbers))
    }
    for event in scratch.events:
        if not isinstance(event, Called):
            yield structs.replace(event, process=process)
        elif event.compiles:
            yield structs.replace(
                event,
                process=process,
                callable=numbers.get(event.callable, 0),
                index=event.index + _AFTER,
                signature=None,
            )


def _explained(diagnosis: Diagnosis, new: set[str]) -> tuple[dict[str, Cause], Counter[str]]:
    """Causes of the exploration's recompilations by compile id, and how often each happened."""
    causes = {cause.id: cause for cause in diagnosis.causes}
    found = {
        item.compile_id: causes[item.cause]
        for item in diagnosis.recompiles
        if item.compile_id in new and item.cause in causes
    }
    return found, Counter(one.cause for one in diagnosis.recompiles if one.compile_id not in new)


class _Costs:
    """What a compile of a function costs, from those that the program paid for."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._of: dict[tuple[str, int], list[float]] = {}
        self._all: list[float] = []
        for event in session.events:
            if isinstance(event, Compiled) and event.seconds:
                self._of.setdefault(_key(event.frame), []).append(event.seconds)
                self._all.append(event.seconds)

    def paid(self, process: int) -> dict[str, float]:
        """What each compile of the program took, by its id."""
        return {
            event.compile_id: event.seconds
            for event in self._session.events
            if isinstance(event, Compiled) and event.process == process and event.seconds
        }

    def of(self, frame: Frame) -> float | None:
        found = self._of.get(_key(frame), self._all)
        # The first compile also pays for imports: later ones are nearer to what is to come.
        return mean(found[1:] or found) if found else None


def _key(frame: Frame) -> tuple[str, int]:
    return frame.path, frame.line


def _priced(item: Found, compiled: dict[str, Compiled], costs: _Costs) -> ForecastCall:
    if item.call.what not in ("graph", "assumed"):
        return item.call
    frames = tuple(compiled[name].frame for name in item.ids if name in compiled)
    return structs.replace(
        item.call,
        graphs=len(item.ids),
        frames=frames,
        seconds=_sum([costs.of(frame) for frame in frames]),
    )


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _frames(session: Session, graphs: list[ForecastCall], process: int) -> Iterator[ForecastFrame]:
    name, limit = _limit(session)
    now: Counter[tuple[str, int]] = Counter()
    for event in session.events:
        if isinstance(event, Compiled) and event.process == process and not event.backward:
            now[_key(event.frame)] += event.outcome == "compiled"
    more: Counter[tuple[str, int]] = Counter()
    frames: dict[tuple[str, int], tuple[Frame, bool]] = {}
    for call in graphs:
        fullgraph = session.callables[call.callable].options.get("fullgraph") == "True"
        for frame in call.frames:
            more[_key(frame)] += 1
            frames[_key(frame)] = (frame, fullgraph)
    for key, (frame, fullgraph) in frames.items():
        yield ForecastFrame(
            frame=frame,
            now=now[key],
            more=more[key],
            limit=limit,
            limit_name=name,
            raises=fullgraph,
        )


def _limit(session: Session) -> tuple[str, int | None]:
    for name in _LIMITS:
        text = session.environment.config.get(f"dynamo.{name}", "")
        if text.isdigit():
            return name, int(text)
    return "recompile_limit", None


def _callables(
    session: Session, findings: Findings, fixed: tuple[ForecastFixed, ...]
) -> Iterator[ForecastCallable]:
    for note in findings.summaries:
        number = note["callable"]
        target = session.callables[number]
        yield ForecastCallable(
            callable=number,
            name=target.name,
            frame=target.frame,
            options=target.options,
            tried=note["tried"],
            served=note["served"],
            invalid=note["invalid"],
            cut=note["cut"],
            left_out=note["left_out"],
            unbounded=tuple(findings.unbounded.get(number, ())),
            unusable=tuple(dict.fromkeys(findings.unusable.get(number, ()))),
            fixed=tuple(dict.fromkeys(names(fixed, number))),
            fixed_cut=number in findings.incomplete,
            closed=tuple(note.get("closed", ())),
        )
