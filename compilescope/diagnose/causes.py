"""Recompiles grouped by cause: kind x source x user line, ranked by the seconds they cost."""

from __future__ import annotations

import os.path
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from compilescope.diagnose.circumstances import caller_of, evidence_of, renamed
from compilescope.diagnose.companions import companions
from compilescope.diagnose.explain import why
from compilescope.diagnose.functions import continues_at, first_lines, written
from compilescope.diagnose.identity import identify, numbered
from compilescope.diagnose.occurrences import Occurrence, occurrences
from compilescope.diagnose.remedies import remedies
from compilescope.diagnose.timeline import Timeline
from compilescope.diagnosis import Cause, Recompile
from compilescope.model import FellBack, Frame, GuardFailure, Session

Key = tuple[object, ...]


@dataclass
class Explained:
    """Recompiles and their causes."""

    causes: tuple[Cause, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    by_function: dict[Frame, list[str]] = field(default_factory=dict)  # cause ids, as compiled


def explain_recompiles(session: Session, timeline: Timeline) -> Explained:
    """Every recompile of the session and what caused it."""
    groups: dict[Key, list[Occurrence]] = defaultdict(list)
    order: list[tuple[Occurrence, Key]] = []
    for found in occurrences(session, timeline):
        key = _key(found, session)
        groups[key].append(found)
        order.append((found, key))
    lines = first_lines(session)
    limited = {event.frame for event in session.events if isinstance(event, FellBack)}
    causes = numbered(
        {key: _cause(session, found, limited, lines) for key, found in groups.items()}
    )
    explained = Explained(
        causes=tuple(
            sorted(causes.values(), key=lambda cause: (-cause.seconds_lost, -cause.times))
        ),
        recompiles=tuple(_recompile(found, causes[key].id) for found, key in order),
    )
    for found, key in order:
        ids = explained.by_function.setdefault(found.event.frame, [])
        if causes[key].id not in ids:
            ids.append(causes[key].id)
    return explained


def _key(found: Occurrence, session: Session) -> Key:
    failure = found.failure
    function = written(found.event.frame)
    place = found.place or function
    return (
        failure.kind,
        failure.source or (failure.raw if failure.kind == "unknown" else ""),
        failure.dimension,
        place.path,
        place.line,
        function.path,
        function.function,
        _dynamic(found, session),
    )


def _dynamic(found: Occurrence, session: Session) -> str:
    """How sizes are compiled: the same change has another reason with another `dynamic`."""
    index = found.callable
    if index is None or index >= len(session.callables):
        return ""
    return session.callables[index].options.get("dynamic", "")


def _cause(
    session: Session,
    found: list[Occurrence],
    limited: set[Frame],
    lines: dict[tuple[str, str], int],
) -> Cause:
    # Each process has graphs of its own: a size that two ranks saw once each did not change twice.
    told = _of_one_process(found)
    first = told[0]
    evidence = evidence_of(session, told, limited)
    failure = evidence.failure
    function = written(first.event.frame, lines)
    others: list[Sequence[GuardFailure]] = [one.others for one in told]
    if evidence.foreign:
        others = [[renamed(item, wrapped=evidence.wrapped) for item in one] for one in others]
    also = companions(failure, others)
    return Cause(
        id=identify(
            failure.kind,
            failure.source or (failure.raw if failure.kind == "unknown" else ""),
            str(failure.dimension),
            function.function,
            os.path.basename(function.path),
        ),
        kind=failure.kind,
        source=failure.source,
        dimension=failure.dimension,
        frame=_place(found)
        or caller_of(first, function)
        or replace(function, line=continues_at(first.event.frame) or function.line),
        why=why(evidence),
        calls=() if evidence.instances else tuple(sorted(evidence.calls)),
        compile_ids=tuple(dict.fromkeys(one.event.compile_id for one in found)),
        times=len(found),
        seconds_lost=sum(one.seconds_lost for one in found),
        values=evidence.values,
        also=also,
        function=function,
        remedies=remedies(evidence),
        callables=tuple(
            session.callables[index].name
            for index in dict.fromkeys(one.callable for one in told)
            if index is not None and index < len(session.callables)
        ),
    )


def _of_one_process(found: list[Occurrence]) -> list[Occurrence]:
    """The occurrences in the process that had most of them, the first among equals."""
    by_process: dict[int, list[Occurrence]] = defaultdict(list)
    for one in found:
        by_process[one.event.process].append(one)
    return max(by_process.values(), key=len)


def _place(found: list[Occurrence]) -> Frame | None:
    places = (place for one in found for place in (one.place, one.first_use))
    place = next((place for place in places if place), None)
    return place and replace(place, function=written(place).function)


def _recompile(found: Occurrence, cause: str) -> Recompile:
    return Recompile(
        compile_id=found.event.compile_id,
        frame=found.event.frame,
        call=found.call,
        seconds=found.seconds,
        seconds_lost=found.seconds_lost,
        cause=cause,
        nearest=found.failure.entry,
        refused=found.event.refused,
        process=found.event.process,
        reasons=tuple(
            found.failure if reason.entry == found.failure.entry else reason
            for reason in found.event.reasons
        ),
        callable=found.callable,
        at=found.event.at,
    )
