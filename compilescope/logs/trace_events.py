"""What a trace file has told, ready to become events once the whole file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from compilescope.logs import trace_metrics
from compilescope.logs.breaks import parse_break
from compilescope.logs.guards import parse_reason
from compilescope.logs.stacks import read_stack
from compilescope.logs.trace_compiles import UNKNOWN, Compile, failure_frame
from compilescope.model import (
    Errored,
    Event,
    FellBack,
    Frame,
    GuardFailure,
    Recompiled,
    Warned,
)

_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*)(?:: (?P<text>.*))?\Z", re.DOTALL)
_FROM_USER = re.compile(r"^(?:from user code|User stack):\s*$", re.MULTILINE)
_ADVICE = re.compile(r"\n+Set TORCHDYNAMO_VERBOSE=1.*\Z", re.DOTALL)
_REASON_ITEM = re.compile(r"^\s*-\s+(?=!?\d+(?:/\d+)+:)", re.MULTILINE)


@dataclass(frozen=True)
class Known:
    """What is known when the file has been read."""

    process: int
    offset: float  # from a line's time to Unix time
    paths: tuple[str, ...] = ()
    torch: tuple[int, int] | None = None

    def unix(self, at: float | None) -> float | None:
        """The time of a line in Unix seconds."""
        return None if at is None else round(at + self.offset, 6)


class Entry(Protocol):
    """Something told, at its place in the order of the records."""

    def events(self, known: Known) -> Iterator[Event]:
        """The events that it comes to."""


@dataclass
class Ready:
    """An event that needs nothing but its process."""

    event: Event

    def events(self, known: Known) -> Iterator[Event]:
        """The event."""
        if known.process:
            yield msgspec.structs.replace(self.event, process=known.process)
        else:
            yield self.event


@dataclass
class Compiling:
    """A compile, where its first record stood."""

    compile: Compile

    def events(self, known: Known) -> Iterator[Event]:
        """The compile, and its failure."""
        compile_ = self.compile
        limit = compile_.limit
        event = None if limit else compile_.event(known.process, known.unix(compile_.at))
        if event is not None:
            yield event
        if limit is not None and not limit.raised:
            yield FellBack(
                process=known.process,
                frame=compile_.frame or UNKNOWN,
                at=known.unix(compile_.at),
                compile_id=compile_.compile_id,
                limit=limit.value,
                limit_name=limit.name,
                reasons=_failures(compile_.reasons, known),
            )
        elif (event is None or event.outcome == "failed") and compile_.failed:
            yield _errored(compile_, known)


@dataclass
class Backward:
    """A backward compile."""

    compile: Compile
    at: float | None

    def events(self, known: Known) -> Iterator[Event]:
        """The backward compile."""
        yield self.compile.backward_event(known.process, known.unix(self.at))


@dataclass
class Rejected:
    """The reasons why no cached graph served a call."""

    compile: Compile
    at: float | None

    def events(self, known: Known) -> Iterator[Event]:
        """The recompilation."""
        compile_ = self.compile
        yield Recompiled(
            process=known.process,
            compile_id=compile_.compile_id,
            frame=compile_.frame or UNKNOWN,
            at=known.unix(self.at),
            reasons=_failures(compile_.reasons, known),
            refused=compile_.limit is not None,
        )


@dataclass
class Broken:
    """The text of a graph break."""

    compile_id: str
    text: str
    at: float | None

    def events(self, known: Known) -> Iterator[Event]:
        """The graph break."""
        event = parse_break(
            self.text,
            process=known.process,
            compile_id=self.compile_id,
            at=known.unix(self.at),
        )
        if event is not None:
            yield event


@dataclass
class Message:
    """A message; repeated ones are counted here."""

    kind: str
    text: str
    compile_id: str
    at: float | None
    frame: Frame | None = None
    times: int = field(default=1)

    def events(self, known: Known) -> Iterator[Event]:
        """The warning."""
        yield Warned(
            process=known.process,
            kind=self.kind,
            text=self.text,
            times=self.times,
            at=known.unix(self.at),
            compile_id=self.compile_id,
            frame=self.frame,
        )


def split_reasons(payload: str) -> tuple[str, ...]:
    """The reasons in the artifact `recompile_reasons`: bare text for one, a JSON list for several.

    A list that is cut short gives the reasons that are whole.
    """
    text = payload.strip()
    if not text.startswith("["):
        return (text,) if text else ()
    try:
        return tuple(msgspec.json.decode(text, type=list[str]))
    except msgspec.DecodeError:
        whole = (line.strip().rstrip(",") for line in text.split("\n"))
        return tuple(filter(None, (_string(line) for line in whole)))


def reasons_of_error(text: str) -> tuple[str, ...]:
    """The reasons in the message of a RecompileError."""
    _, separator, listed = text.partition("triggered by the following guard failure(s):")
    if not separator:
        return ()
    items = _REASON_ITEM.split(listed)[1:]
    return tuple("\n".join(line.strip() for line in item.strip().split("\n")) for item in items)


def _string(line: str) -> str:
    try:
        return msgspec.json.decode(line, type=str)
    except msgspec.DecodeError:
        return ""


def _failures(reasons: tuple[str, ...], known: Known) -> tuple[GuardFailure, ...]:
    return tuple(
        parse_reason(reason, known_paths=known.paths, torch=known.torch) for reason in reasons
    )


def _errored(compile_: Compile, known: Known) -> Errored:
    kind, text, stack = _read_traceback(compile_.error)
    metrics = compile_.metrics
    frame = stack[-1] if stack else None
    if metrics is not None and metrics.fail_type:
        kind = trace_metrics.failure_kind(metrics)
        text = metrics.fail_reason or text
        frame = failure_frame(metrics) or frame
    return Errored(
        process=known.process,
        text=text,
        kind=kind.rpartition(".")[2],
        compile_id=compile_.compile_id,
        at=known.unix(compile_.at),
        frame=frame,
        stack=stack,
    )


def _read_traceback(text: str) -> tuple[str, str, tuple[Frame, ...]]:
    """Class, message and the user's frames of the exception that a traceback ends with."""
    last = text.rpartition(_TRACEBACK)[2].split("\n")
    body = len(last)
    for number, line in enumerate(last):
        if line and not line[0].isspace():
            body = number
            break
    message = _ADVICE.sub("", "\n".join(last[body:]).strip())
    own = _FROM_USER.split(message, maxsplit=1)
    stack = read_stack(own[1].split("\n")) if len(own) > 1 else ()
    raised = _RAISED.match(own[0].strip())
    if raised is None:
        return "", own[0].strip(), stack
    return raised["kind"], (raised["text"] or "").strip(), stack
