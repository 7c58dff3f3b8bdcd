"""Recompiles grouped by cause: kind x source x user line, ranked by the seconds they cost."""

from __future__ import annotations

import hashlib
import os.path
from collections import defaultdict
from dataclasses import dataclass, field

from msgspec.structs import replace

from compilescope.diagnose.companions import companions, same
from compilescope.diagnose.evidence import Evidence, torch_version
from compilescope.diagnose.explain import why
from compilescope.diagnose.functions import first_lines, written
from compilescope.diagnose.nearest import Inputs, constants_of, differences, size_of
from compilescope.diagnose.places import Places
from compilescope.diagnose.remedies import remedies
from compilescope.diagnose.timeline import CompileKey, Timeline
from compilescope.diagnosis import Cause, Recompile
from compilescope.model import Compiled, FellBack, Frame, GuardFailure, Input, Recompiled, Session


@dataclass
class _Occurrence:
    """One recompile with what was found out about it."""

    event: Recompiled
    failure: GuardFailure  # the reason of the nearest graph, with what the call brought
    place: Frame | None  # the user's line that the guard names
    first_use: Frame | None  # where the size that failed was first used
    entry: Compiled | None
    brought: tuple[Input, ...]
    others: tuple[GuardFailure, ...]  # further guards of the nearest graph that failed
    call: int | None
    callable: int | None
    seconds: float | None
    seconds_lost: float


@dataclass
class Explained:
    """Recompiles and their causes."""

    causes: tuple[Cause, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    by_function: dict[Frame, list[str]] = field(default_factory=dict)  # cause ids, as compiled


def explain_recompiles(session: Session, timeline: Timeline) -> Explained:
    """Every recompile of the session and what caused it."""
    compiles = _compiles(session)
    places = Places(session)
    groups: dict[tuple[object, ...], list[_Occurrence]] = defaultdict(list)
    order: list[tuple[_Occurrence, tuple[object, ...]]] = []
    for event in session.events:
        if isinstance(event, Recompiled):
            found = _occurrence(session, timeline, compiles, event)
            found.place = places.own(found.failure.frame)
            found.first_use = places.first_use(event, found.failure)
            key = _key(found)
            groups[key].append(found)
            order.append((found, key))
    limited = {event.frame for event in session.events if isinstance(event, FellBack)}
    causes = {key: _cause(session, found, limited) for key, found in groups.items()}
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


def _compiles(session: Session) -> dict[CompileKey, Compiled]:
    found: dict[CompileKey, Compiled] = {}
    for event in session.events:
        if isinstance(event, Compiled):
            known = found.get((event.process, event.compile_id))
            if known is None or (known.backward and not event.backward):
                found[event.process, event.compile_id] = event
    return found


def _occurrence(
    session: Session, timeline: Timeline, compiles: dict[CompileKey, Compiled], event: Recompiled
) -> _Occurrence:
    key = (event.process, event.compile_id)
    compiled = compiles.get(key)
    payment = timeline.payment(key)
    signature = timeline.inputs_before(payment.call) if payment else None
    brought = compiled.inputs if compiled else ()
    if signature is not None and signature < len(session.signatures):
        known = {item.source for item in brought}
        extra = session.signatures[signature].inputs
        brought += tuple(item for item in extra if item.source not in known)
    call = Inputs(brought, constants_of(compiled) if compiled else None)
    failure, entry, others = _nearest(event, compiles, call)
    return _Occurrence(
        event=event,
        failure=_with_observed(failure, call),
        place=None,
        first_use=None,
        entry=entry,
        brought=brought,
        others=others,
        call=payment.call.index if payment else None,
        callable=payment.call.callable if payment else None,
        seconds=compiled.seconds if compiled else None,
        seconds_lost=payment.seconds_lost if payment else (compiled and compiled.seconds) or 0.0,
    )


def _nearest(
    event: Recompiled, compiles: dict[CompileKey, Compiled], call: Inputs
) -> tuple[GuardFailure, Compiled | None, tuple[GuardFailure, ...]]:
    """The reason of the entry with the fewest failing guards; of the newest among equals."""
    ranked = []
    for failure in event.reasons:
        entry = compiles.get((event.process, failure.entry))
        found = differences(entry, call) if entry and call else []
        unexplained = failure.kind in {"unknown", "lifetime.dealloc"}
        ranked.append((unexplained, max(1, len(found)), _age(failure.entry), failure, entry, found))
    if not ranked:
        return GuardFailure(kind="unknown", raw=""), None, ()
    *_, failure, entry, found = min(ranked, key=lambda item: item[:3])
    others = (item.failure(failure.entry) for item in found)
    return failure, entry, tuple(item for item in others if not same(item, failure))


def _age(entry: str) -> tuple[int, ...]:
    """Sorts compile ids newest first."""
    parts = entry.rpartition("/")[2].partition("_")[0]
    return (-int(parts),) if parts.isdigit() else (0,)


def _with_observed(failure: GuardFailure, call: Inputs) -> GuardFailure:
    if failure.observed:
        return failure
    if failure.kind.startswith(("shape.", "tensor.size")):
        observed = size_of(failure.source, failure.dimension, call)
    else:
        observed = call.constants.get(failure.source, "")
        observed = "" if observed == failure.required else observed
    return replace(failure, observed=observed) if observed else failure


def _key(found: _Occurrence) -> tuple[object, ...]:
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
    )


def _cause(session: Session, found: list[_Occurrence], limited: set[Frame]) -> Cause:
    first = found[0]
    evidence = _evidence(session, found, limited)
    failure = first.failure
    function = written(first.event.frame, first_lines(session))
    also = companions(failure, [one.others for one in found])
    return Cause(
        id=_identify(failure, function),
        kind=failure.kind,
        source=failure.source,
        dimension=failure.dimension,
        frame=_place(found) or function,
        why=why(evidence),
        calls=evidence.calls,
        compile_ids=tuple(dict.fromkeys(one.event.compile_id for one in found)),
        times=len(found),
        seconds_lost=sum(one.seconds_lost for one in found),
        values=evidence.values,
        also=also,
        function=function,
        remedies=remedies(evidence),
        callables=tuple(
            session.callables[index].name
            for index in dict.fromkeys(one.callable for one in found)
            if index is not None and index < len(session.callables)
        ),
    )


def _place(found: list[_Occurrence]) -> Frame | None:
    places = (place for one in found for place in (one.place, one.first_use))
    place = next((place for place in places if place), None)
    return place and replace(place, function=written(place).function)


def _evidence(session: Session, found: list[_Occurrence], limited: set[Frame]) -> Evidence:
    first = found[0]
    values = [
        value
        for one in found
        for value in (one.failure.required, one.failure.observed)
        if value and (value == one.failure.observed or not one.failure.kind.startswith("shape."))
    ]
    options = (
        session.callables[first.callable].options
        if first.callable is not None and first.callable < len(session.callables)
        else {}
    )
    return Evidence(
        failure=first.failure,
        failures=tuple(one.failure for one in found),
        values=tuple(dict.fromkeys(values)),
        function=first.event.frame,
        calls=tuple(dict.fromkeys(one.call for one in found if one.call is not None)),
        before=first.entry.inputs if first.entry else (),
        after=first.brought,
        options=options,
        torch=torch_version(session.environment.torch),
        limit_reached=first.event.frame in limited,
    )


def _identify(failure: GuardFailure, function: Frame) -> str:
    source = failure.source or (failure.raw if failure.kind == "unknown" else "")
    parts = (failure.kind, source, str(failure.dimension), function.function)
    text = "\0".join((*parts, os.path.basename(function.path)))
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _recompile(found: _Occurrence, cause: str) -> Recompile:
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
    )
