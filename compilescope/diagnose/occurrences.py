"""Each recompile with what is known of it: the nearest graph, what the call brought, its cost."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from compilescope.diagnose.choice import nearest
from compilescope.diagnose.explain_size import is_of_module
from compilescope.diagnose.explain_words import RESUME, as_written
from compilescope.diagnose.nearest import Inputs, is_constant, size_of
from compilescope.diagnose.places import Places
from compilescope.diagnose.timeline import CompileKey, Timeline
from compilescope.model import (
    Called,
    Compiled,
    FellBack,
    Frame,
    GuardFailure,
    Input,
    Recompiled,
    Session,
    Specialized,
    Symbol,
)

_CLASSES = ("type.module", "type.object")
_OF_MODELS = (*_CLASSES, "module.param_shape", "module.missing", "module.param_none")
_NUMBER = re.compile(r"-?\d|True$|False$")
_ROOT = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Occurrence:
    """One recompile with what was found out about it."""

    event: Recompiled
    failure: GuardFailure  # the reason of the nearest graph, with what the call brought
    place: Frame | None  # the user's line that the guard names
    first_use: Frame | None  # where the size that failed was first used
    entry: Compiled | None
    compiled: Compiled | None  # what the call led to
    constant: bool | None  # whether the new graph holds the value as a constant again
    brought: tuple[Input, ...]
    others: tuple[GuardFailure, ...]  # further guards of the nearest graph that failed
    call: int | None
    callable: int | None
    seconds: float | None
    seconds_lost: float
    made_inside: bool = False  # the value is made by the function itself, between graph breaks
    by_inductor: bool = False  # the size became a constant in the compiler, not in the user's code
    another: bool = False  # the first call of a callable, where the graph is that of another one


def occurrences(session: Session, timeline: Timeline) -> Iterator[Occurrence]:
    """Every recompile of the session, in order."""
    known = _Known(session, timeline)
    told = set()
    for event in session.events:
        if isinstance(event, Recompiled):
            told.add((event.process, event.frame))
            yield _occurrence(known, event)
    for event in session.events:
        # Without the log of recompiles, the limit's own message is all that tells of a cause.
        alone = isinstance(event, FellBack) and (event.process, event.frame) not in told
        if isinstance(event, FellBack) and alone and event.reasons:
            yield _occurrence(known, _refused(event))


def _refused(event: FellBack) -> Recompiled:
    return Recompiled(
        process=event.process,
        compile_id=event.compile_id,
        frame=event.frame,
        at=event.at,
        reasons=event.reasons,
        refused=True,
    )


class _Known:
    """What the session tells of each compile."""

    def __init__(self, session: Session, timeline: Timeline) -> None:
        self.session = session
        self.timeline = timeline
        self.places = Places(session)
        self.compiles: dict[CompileKey, Compiled] = {}
        self.symbols: dict[CompileKey, dict[str, str]] = defaultdict(dict)
        self.by_inductor: dict[CompileKey, set[str]] = defaultdict(set)  # sizes, by compile
        for event in session.events:
            if isinstance(event, Compiled):
                known = self.compiles.get((event.process, event.compile_id))
                if known is None or (known.backward and not event.backward):
                    self.compiles[event.process, event.compile_id] = event
            elif isinstance(event, Symbol) and event.backed and event.value:
                values = self.symbols[event.process, event.compile_id]
                values.setdefault(as_written(event.source), event.value)
            elif isinstance(event, Specialized) and event.by_inductor:
                self.by_inductor[event.process, event.compile_id] |= {
                    as_written(source) for source in event.sources
                }


def _occurrence(known: _Known, event: Recompiled) -> Occurrence:
    key = (event.process, event.compile_id)
    compiled = known.compiles.get(key)
    payment = known.timeline.payment(key)
    brought = compiled.inputs if compiled else ()
    served = payment.call if payment else _refused_call(known, event)
    if served:
        sources = {item.source for item in brought}
        given = _arguments(known, served, event.frame)
        brought += tuple(item for item in given if item.source not in sources)
    call = Inputs(brought, known.symbols.get(key), compiled)
    failure, entry, others = nearest(event, known.compiles, call)
    another = payment is not None and _is_another(known, event, entry, payment.call)
    if another or _is_another_module(failure, others):
        failure, others = _of_another_model(failure, others)
    return Occurrence(
        event=event,
        failure=_with_observed(failure, call),
        place=known.places.own(failure.frame),
        first_use=known.places.first_use(event, failure),
        entry=entry,
        compiled=compiled,
        constant=is_constant(compiled, failure.source, failure.dimension) if compiled else None,
        brought=brought,
        others=others,
        call=served.index if served else None,
        callable=served.callable if served else None,
        seconds=compiled.seconds if compiled else None,
        seconds_lost=payment.seconds_lost if payment else (compiled and compiled.seconds) or 0.0,
        made_inside=served is not None and _made_inside(known, event, failure, served),
        by_inductor=any(
            f"{as_written(failure.source)}.size()[{failure.dimension}]" in known.by_inductor[one]
            for one in (key, (event.process, entry.compile_id if entry else ""))
        ),
        another=another,
    )


def _refused_call(known: _Known, event: Recompiled) -> Called | None:
    """The call for which the limit allowed no compile."""
    if not event.refused or event.at is None:
        return None
    return known.timeline.eager_call_at(event.process, event.at)


def _is_another(known: _Known, event: Recompiled, entry: Compiled | None, call: Called) -> bool:
    """Whether `call` is a callable's first one and the nearest graph was compiled for another."""
    if call.index != 0 or entry is None:
        return False
    first = known.timeline.payment((event.process, entry.compile_id))
    return first is not None and first.call.callable != call.callable


def _is_another_module(failure: GuardFailure, others: tuple[GuardFailure, ...]) -> bool:
    """Whether the nearest graph was compiled for a module of other widths, with the same code.

    What such a module is given differs with it.
    """
    return any(
        (one.kind == "module.param_shape" and is_of_module(one))
        or (one.kind in _CLASSES and one.source.isidentifier())
        for one in (failure, *others)
    )


def _of_another_model(
    failure: GuardFailure, others: tuple[GuardFailure, ...]
) -> tuple[GuardFailure, tuple[GuardFailure, ...]]:
    """What tells the models apart, where they are of other layers or widths: nothing is to fix."""
    for kind in _OF_MODELS:
        for one in (failure, *others):
            if one.kind == kind:
                return one, ()
    return failure, others


def _arguments(known: _Known, call: Called, frame: Frame) -> tuple[Input, ...]:
    """The call's arguments, if `frame` is the function that was called and not one below it."""
    session = known.session
    called = (
        session.callables[call.callable].frame if call.callable < len(session.callables) else None
    )
    if called is None or (called.path, called.function) != (frame.path, frame.function):
        return ()
    signature = known.timeline.signature(call)
    if signature is None or signature >= len(session.signatures):
        return ()
    return session.signatures[signature].inputs


def _made_inside(known: _Known, event: Recompiled, failure: GuardFailure, call: Called) -> bool:
    """Whether the continuation of a function guards a value that its call did not bring."""
    session = known.session
    resumed, root = RESUME.search(event.frame.function), _ROOT.match(as_written(failure.source))
    if resumed is None or root is None or call.callable >= len(session.callables):
        return False
    called = session.callables[call.callable]
    written = (event.frame.path, resumed["function"])
    if called.frame is None or (called.frame.path, called.frame.function) != written:
        return False
    return root[0] in called.variables or _rebound(known, event, root[0], call)


def _rebound(known: _Known, event: Recompiled, name: str, call: Called) -> bool:
    """Whether `name`, an argument, holds another tensor after the break than the call brought."""
    compiled = known.compiles.get((event.process, event.compile_id))
    called = known.session.callables[call.callable].frame
    if compiled is None or called is None:
        return False
    given = {item.source: item for item in _arguments(known, call, called)}
    return any(
        item.source == name
        and item.shape is not None
        and (before := given.get(name)) is not None
        and before.shape is not None
        and (item.shape, item.stride, item.dtype) != (before.shape, before.stride, before.dtype)
        for item in compiled.inputs
    )


def _with_observed(failure: GuardFailure, call: Inputs) -> GuardFailure:
    vague = failure.kind == "const.none" or failure.kind.startswith("type.")
    if failure.observed and not vague:
        return failure
    observed = _observed(failure, call)
    if not observed or observed == failure.required:
        return failure
    kind = failure.kind
    if kind.startswith("const.") and _equal_but_for_type(failure, observed):
        kind = "type.scalar"
    elif observed == "a tensor" and _NUMBER.match(failure.required):
        kind = "type.tensor"
    return replace(failure, observed=observed, kind=kind)


def _observed(failure: GuardFailure, call: Inputs) -> str:
    key = as_written(failure.source)
    if failure.kind.startswith(("shape.", "tensor.size")):
        return size_of(failure.source, failure.dimension, call)
    if failure.kind == "container.len":
        return call.constants.get(f"len({key})", "")
    if failure.kind.startswith("type."):
        known = call.types.get(key, "").rpartition(".")[2]
        return known or ("NoneType" if call.constants.get(key) == "None" else "")
    if failure.kind == "const.none":
        named = call.types.get(key, "").rpartition(".")[2]
        return "a tensor" if key in call.tensors else call.constants.get(key) or named
    return call.constants.get(key) or ("a tensor" if key in call.tensors else "")


def _equal_but_for_type(failure: GuardFailure, observed: str) -> bool:
    """`2` and `2.0`: the guard compares types first."""
    try:
        required, brought = ast.literal_eval(failure.required), ast.literal_eval(observed)
    except (SyntaxError, ValueError):
        return False
    return bool(required == brought and type(required) is not type(brought))
