"""Functions as the user wrote them: a continuation belongs to the function it continues."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from compilescope.diagnosis import FunctionSummary
from compilescope.model import Compiled, Errored, FellBack, Frame, GraphBroke, Recompiled, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    _Name = tuple[str, str]  # path and function

_RESUME = re.compile(r"^torch_dynamo_resume_in_(?P<function>.+)_at_(?P<line>\d+)$")

Status = Literal["compiled", "broken", "eager", "failed", "skipped", "empty"]


def written(frame: Frame, first_lines: dict[tuple[str, str], int] | None = None) -> Frame:
    """`frame`, or the function that it continues after a graph break."""
    match = _RESUME.match(frame.function)
    if not match:
        return frame
    function = written(Frame(frame.path, frame.line, match["function"])).function
    line = (first_lines or {}).get((frame.path, function), frame.line)
    return Frame(frame.path, line, function)


def continues_at(frame: Frame) -> int | None:
    """The line of the graph break after which `frame` continues, None for a whole function."""
    match = _RESUME.match(frame.function)
    return int(match["line"]) if match else None


def first_lines(session: Session) -> dict[tuple[str, str], int]:
    """The first line of each compiled function, by path and name."""
    lines: dict[tuple[str, str], int] = {}
    for event in session.events:
        if isinstance(event, Compiled) and not _RESUME.match(event.frame.function):
            lines.setdefault((event.frame.path, event.frame.function), event.frame.line)
    return lines


def summaries(session: Session) -> tuple[FunctionSummary, ...]:
    """Every compiled function with its continuations, the most expensive first."""
    lines = first_lines(session)
    totals: dict[Frame, _Total] = defaultdict(_Total)
    compiled_as: dict[tuple[int, str], Frame] = {}
    for event in session.events:
        if isinstance(event, (Compiled, Recompiled)):
            frame = written(event.frame, lines)
            compiled_as.setdefault((event.process, event.compile_id), frame)
            totals[frame].add(event)
        elif isinstance(event, FellBack):
            totals[written(event.frame, lines)].eager = True
    for event in session.events:
        if isinstance(event, (GraphBroke, Errored)):
            owner = compiled_as.get((event.process, event.compile_id))
            if owner is not None:
                totals[owner].add(event)
    callers = _callers(session, lines)
    found = (total.summary(frame, callers.get(frame)) for frame, total in totals.items())
    return tuple(sorted(found, key=lambda item: (-item.seconds, item.frame.path, item.frame.line)))


def _callers(session: Session, lines: dict[tuple[str, str], int]) -> dict[Frame, Frame]:
    """The compiled function nearest above each one.

    A break's stack has the functions that the compiler went through. The stack of a compile lacks
    those above that are compiled themselves: it is asked only for what no break passed.
    """
    starts: dict[tuple[str, str], set[int]] = defaultdict(set)
    stacks: dict[Frame, tuple[Frame, ...]] = {}
    for event in session.events:
        if isinstance(event, Compiled):
            frame = written(event.frame, lines)
            starts[frame.path, frame.function].add(frame.line)
            if event.frame == frame:
                stacks.setdefault(frame, event.stack)
    callers = _callers_in_breaks(session, starts)
    for frame, stack in stacks.items():
        if frame not in callers:
            above = [one for one in _compiled_in(stack, starts) if not _same(one, frame)]
            if above:
                callers[frame] = above[-1]
    return callers


def _callers_in_breaks(session: Session, starts: Mapping[_Name, set[int]]) -> dict[Frame, Frame]:
    callers: dict[Frame, Frame] = {}
    breaks = (event.stack for event in session.events if isinstance(event, GraphBroke))
    for stack in dict.fromkeys(breaks):
        passed = _compiled_in(stack, starts)
        seen = set(passed[:1])  # of a function that calls itself, the outermost call counts
        for caller, frame in pairwise(passed):
            if frame not in seen:
                callers.setdefault(frame, caller)
                seen.add(frame)
    return callers


def _compiled_in(stack: Iterable[Frame], starts: Mapping[_Name, set[int]]) -> list[Frame]:
    """The compiled functions that the frames of a stack are in."""
    found = []
    for frame in stack:
        name = written(frame).function
        begun = [line for line in starts.get((frame.path, name), ()) if line <= frame.line]
        if begun:
            found.append(Frame(frame.path, max(begun), name))
    return found


def _same(one: Frame, other: Frame) -> bool:
    return (one.path, one.line) == (other.path, other.line)


class _Total:
    def __init__(self) -> None:
        self.compiles: set[tuple[int, str]] = set()
        self.recompiles = 0
        self.breaks: set[tuple[str, str, int]] = set()
        self.seconds = 0.0
        self.eager = False
        self.outcomes: list[str] = []

    def add(self, event: Compiled | Recompiled | GraphBroke | Errored) -> None:
        match event:
            case Compiled():
                self.seconds += event.seconds or 0.0
                self.outcomes.append(event.outcome)
                if event.outcome == "compiled":
                    self.compiles.add((event.process, event.compile_id))
            case Recompiled(refused=refused):
                self.recompiles += 1
                self.eager |= refused
            case GraphBroke():
                self.breaks.add((event.type, event.frame.path, event.frame.line))
                self.eager |= event.whole_frame and not event.duplicate

    def summary(self, frame: Frame, caller: Frame | None) -> FunctionSummary:
        return FunctionSummary(
            frame=frame,
            status=self._status(),
            compiles=len(self.compiles),
            recompiles=self.recompiles,
            breaks=len(self.breaks),
            seconds=self.seconds,
            caller=caller,
        )

    def _status(self) -> Status:
        if self.eager:
            return "eager"
        if not self.compiles and "failed" in self.outcomes:
            return "failed"
        if not self.compiles and "empty" in self.outcomes:
            return "empty"
        if not self.compiles and self.outcomes:
            return "skipped"
        return "broken" if self.breaks else "compiled"


def named(frames: Iterable[Frame]) -> tuple[str, ...]:
    """The distinct function names, in order."""
    return tuple(dict.fromkeys(frame.function for frame in frames))
