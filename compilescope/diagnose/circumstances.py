"""The evidence of a cause: what is known of its function, its callers and its containers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from compilescope.diagnose.evidence import EagerBreak, Evidence, torch_version
from compilescope.diagnose.explain_size import is_of_module
from compilescope.diagnose.explain_words import as_written
from compilescope.diagnose.functions import written
from compilescope.diagnose.occurrences import Occurrence
from compilescope.model import Callable, Compiled, Frame, GraphBroke, GuardFailure, Input, Session
from compilescope.paths import is_library

# torch compiles a module without a Python `forward` of its own through a wrapper, in which the
# module is called `fn`.
_WRAPPER = re.compile(r"torch[/\\]_dynamo[/\\](?:external_utils|eval_frame)\.py$")
_WRAPPED = re.compile(r"\bfn\b")
_KEYWORD = re.compile(r"\bkwargs\['(\w+)'\]")
_VARIADIC = re.compile(r"\bdef \w+\(.*?(?<!\*)\*(?P<name>[A-Za-z_]\w*)")
_DEFINITION_LINES = 8


def evidence_of(session: Session, found: Sequence[Occurrence], limited: set[Frame]) -> Evidence:
    """What is known of a cause from all its occurrences."""
    first = found[0]
    wrapped = _WRAPPER.search(first.event.frame.path) is not None
    foreign = is_library(first.event.frame.path)
    failures = [renamed(one.failure, wrapped=wrapped) if foreign else one.failure for one in found]
    values = [
        value
        for failure in failures
        for value in (failure.required, failure.observed)
        if value and (value == failure.observed or not failure.kind.startswith("shape."))
    ]
    callables = _callables(session, found)
    options = callables[0].options if callables else {}
    static = options.get("dynamic") == "False"
    return Evidence(
        failure=failures[0],
        failures=tuple(failures),
        values=tuple(dict.fromkeys(values)),
        function=first.event.frame,
        calls=tuple(dict.fromkeys(one.call for one in found if one.call is not None)),
        before=_inputs(first.entry.inputs if first.entry else (), foreign=foreign),
        after=_inputs(first.brought, foreign=foreign),
        options=options,
        torch=torch_version(session.environment.torch),
        limit_reached=first.event.frame in limited,
        constant=first.constant,
        by_inductor=any(one.by_inductor for one in found),
        instances=tuple(item.name for item in callables) if len(callables) > 1 else (),
        another=callables[0].name if len(callables) == 1 and first.another else "",
        compiled=_compiled(callables),
        whole=_is_whole(callables, first.event.frame),
        converted=any(_is_of_dtype(one) for one in (first.failure, *first.others)),
        failed=first.compiled is not None and first.compiled.outcome == "failed" and not static,
        no_module=bool(callables) and all(item.kind == "function" for item in callables),
        wrapped=wrapped,
        foreign=foreign,
        mapping=_is_mapping(first),
        variadic=_variadic(session, first.event.frame),
        made_inside=first.made_inside,
        eager_break=_eager_break(session, first),
    )


def caller_of(found: Occurrence, function: Frame) -> Frame | None:
    """The user's line that calls a function of a library; None for one of the user's own."""
    if not is_library(function.path) or found.compiled is None:
        return None
    own = (frame for frame in reversed(found.compiled.stack) if not is_library(frame.path))
    frame = next(own, None)
    return frame and replace(frame, function=written(frame).function)


def renamed(failure: GuardFailure, *, wrapped: bool) -> GuardFailure:
    """The names that a library's wrapper gives to what the user passes, as the user's own."""
    raw, source = (_KEYWORD.sub(r"\1", text) for text in (failure.raw, failure.source))
    if wrapped:
        raw, source = (_WRAPPED.sub("model", text) for text in (raw, source))
    return replace(failure, source=source, raw=raw)


def _inputs(inputs: tuple[Input, ...], *, foreign: bool) -> tuple[Input, ...]:
    if not foreign:
        return inputs
    return tuple(replace(item, source=_KEYWORD.sub(r"\1", item.source)) for item in inputs)


def _callables(session: Session, found: Sequence[Occurrence]) -> list[Callable]:
    indexes = dict.fromkeys(one.callable for one in found if one.callable is not None)
    return [session.callables[index] for index in indexes if index < len(session.callables)]


def _compiled(callables: Sequence[Callable]) -> str:
    frames = {item.frame.function for item in callables if item.frame}
    return frames.pop() if len(frames) == 1 else ""


def _is_of_dtype(failure: GuardFailure) -> bool:
    return is_of_module(failure) and "dtype mismatch" in failure.raw


def _is_whole(callables: Sequence[Callable], function: Frame) -> bool:
    """Whether `function` is the `forward` of the only module that was compiled."""
    own = callables[0].frame if len(callables) == 1 and callables[0].kind == "module" else None
    return own is not None and (own.path, own.function) == (function.path, function.function)


def _is_mapping(found: Occurrence) -> bool | None:
    """By the guards on its length, which differ between dicts and sequences."""
    key = as_written(found.failure.source)
    for guard in found.entry.guards if found.entry else ():
        kind, _, text = guard.partition(": ")
        if kind in {"DICT_LENGTH", "LENGTH_CHECK"} and key in as_written(text):
            subject = as_written(text).removeprefix("not ").removeprefix("len(")
            if subject.startswith((f"{key})", key)) and subject[len(key) : len(key) + 1] in ") ":
                return kind == "DICT_LENGTH"
    return None


def _variadic(session: Session, function: Frame) -> str:
    lines = session.sources.get(function.path, {})
    for line in range(function.line, function.line + _DEFINITION_LINES):
        if match := _VARIADIC.search(lines.get(line, "")):
            return match["name"]
        if re.search(r"\bdef \w+\(", lines.get(line, "")):
            break
    return ""


def _eager_break(session: Session, found: Occurrence) -> EagerBreak | None:
    """What makes a caller of the recompiled function run eagerly as a whole."""
    if found.compiled is None or not found.compiled.stack:
        return None
    callers = {(frame.path, frame.function) for frame in found.compiled.stack}
    broken = {
        (event.process, event.compile_id): event.frame
        for event in session.events
        if isinstance(event, GraphBroke) and event.whole_frame
    }
    for event in session.events if broken else ():
        if isinstance(event, Compiled):
            place = broken.get((event.process, event.compile_id))
            function = (event.frame.path, event.frame.function)
            if place and function in callers:
                return EagerBreak(place, written(event.frame))
    return None
