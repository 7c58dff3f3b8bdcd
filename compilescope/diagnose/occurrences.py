"""Each recompile with what is known of it: the nearest graph, what the call brought, its cost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from compilescope.diagnose.companions import same
from compilescope.diagnose.nearest import Inputs, constants_of, differences, size_of
from compilescope.diagnose.places import Places
from compilescope.diagnose.timeline import CompileKey, Timeline
from compilescope.model import Called, Compiled, Frame, GuardFailure, Input, Recompiled, Session


@dataclass(frozen=True)
class Occurrence:
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


def occurrences(session: Session, timeline: Timeline) -> Iterator[Occurrence]:
    """Every recompile of the session, in order."""
    compiles = _compiles(session)
    places = Places(session)
    for event in session.events:
        if isinstance(event, Recompiled):
            yield _occurrence(session, timeline, compiles, places, event)


def _compiles(session: Session) -> dict[CompileKey, Compiled]:
    found: dict[CompileKey, Compiled] = {}
    for event in session.events:
        if isinstance(event, Compiled):
            known = found.get((event.process, event.compile_id))
            if known is None or (known.backward and not event.backward):
                found[event.process, event.compile_id] = event
    return found


def _occurrence(
    session: Session,
    timeline: Timeline,
    compiles: dict[CompileKey, Compiled],
    places: Places,
    event: Recompiled,
) -> Occurrence:
    key = (event.process, event.compile_id)
    compiled = compiles.get(key)
    payment = timeline.payment(key)
    brought = compiled.inputs if compiled else ()
    if payment:
        known = {item.source for item in brought}
        given = _arguments(session, timeline, payment.call, event.frame)
        brought += tuple(item for item in given if item.source not in known)
    call = Inputs(brought, constants_of(compiled) if compiled else None)
    failure, entry, others = _nearest(event, compiles, call)
    return Occurrence(
        event=event,
        failure=_with_observed(failure, call),
        place=places.own(failure.frame),
        first_use=places.first_use(event, failure),
        entry=entry,
        brought=brought,
        others=others,
        call=payment.call.index if payment else None,
        callable=payment.call.callable if payment else None,
        seconds=compiled.seconds if compiled else None,
        seconds_lost=payment.seconds_lost if payment else (compiled and compiled.seconds) or 0.0,
    )


def _arguments(
    session: Session, timeline: Timeline, call: Called, frame: Frame
) -> tuple[Input, ...]:
    """The call's arguments, if `frame` is the function that was called and not one below it."""
    called = (
        session.callables[call.callable].frame if call.callable < len(session.callables) else None
    )
    if called is None or (called.path, called.function) != (frame.path, frame.function):
        return ()
    signature = timeline.signature(call)
    if signature is None or signature >= len(session.signatures):
        return ()
    return session.signatures[signature].inputs


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


def _age(entry: str) -> int:
    """Sorts compile ids newest first."""
    number = entry.rpartition("/")[2].partition("_")[0]
    return -int(number) if number.isdigit() else 0


def _with_observed(failure: GuardFailure, call: Inputs) -> GuardFailure:
    if failure.observed:
        return failure
    if failure.kind.startswith(("shape.", "tensor.size")):
        observed = size_of(failure.source, failure.dimension, call)
    else:
        observed = call.constants.get(failure.source, "")
        observed = "" if observed == failure.required else observed
    if not observed:
        return failure
    only_type = failure.kind.startswith("const.") and _equal_but_for_type(failure, observed)
    return replace(failure, observed=observed, kind="type.scalar" if only_type else failure.kind)


def _equal_but_for_type(failure: GuardFailure, observed: str) -> bool:
    """`2` and `2.0`: the guard compares types first."""
    try:
        required, brought = ast.literal_eval(failure.required), ast.literal_eval(observed)
    except (SyntaxError, ValueError):
        return False
    return bool(required == brought and type(required) is not type(brought))
