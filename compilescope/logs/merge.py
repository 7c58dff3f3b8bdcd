"""Several logs of one run as one, nothing counted twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from compilescope.logs.log import Log
from compilescope.logs.text_events import ONLY_OF_TEXT
from compilescope.model import (
    Compiled,
    Environment,
    Errored,
    Event,
    FellBack,
    GraphBroke,
    Guarded,
    Process,
    Recompiled,
    Specialized,
    Symbol,
    Warned,
)


def join(logs: Sequence[Log]) -> Log:
    """Text logs put together: a pid is one process, and a record in two copies counts once."""
    joined = Log()
    seen: set[bytes] = set()
    pids: dict[int, int] = {}
    for log in logs:
        renumbered = [_place(process, joined.processes, pids) for process in log.processes]
        for event in log.events:
            moved = _moved(event, renumbered)
            mark = _mark(moved)
            if not mark or mark not in seen:
                joined.events.append(moved)
            seen.add(mark)
        joined.environment = _filled(joined.environment, log.environment)
        joined.gaps += [gap for gap in log.gaps if gap not in joined.gaps]
    kinds = {type(event) for event in joined.events}
    joined.gaps = [
        gap for gap in joined.gaps if not any(kind in kinds for kind in ONLY_OF_TEXT.get(gap, ()))
    ]
    return joined


def _mark(event: Any) -> bytes:
    """What makes an event the same as one in another copy of the log, "" where nothing does."""
    if getattr(event, "at", None) is not None:
        return msgspec.json.encode(event)
    if isinstance(event, Compiled):
        return f"{event.process} {event.compile_id}".encode()
    return b""


def merge(trace: Log, text: Log) -> Log:
    """The trace, and from the text what the trace does not have.

    Text of a process that the trace knows adds its warnings and the limit's value; text of
    another process is taken whole.
    """
    processes = list(trace.processes)
    same = [_same(process, trace.processes, len(text.processes)) for process in text.processes]
    numbers = []
    for process, found in zip(text.processes, same, strict=True):
        if found is None:
            processes.append(process)
            found = len(processes) - 1  # noqa: PLW2901
        numbers.append(found)
    known = _Known(trace.events)
    traced = {number for number, found in zip(numbers, same, strict=True) if found is not None}
    added = []
    for event in text.events:
        moved = _moved(event, numbers)
        if moved.process not in traced or known.lacks(moved):
            added.append(moved)
    limits = {
        (event.process, event.compile_id): event
        for event in (_moved(event, numbers) for event in text.events)
        if isinstance(event, FellBack) and event.compile_id
    }
    gaps = [gap for gap in text.gaps if gap not in ONLY_OF_TEXT or len(traced) < len(numbers)]
    return Log(
        events=[_with_limit(event, limits) for event in trace.events] + added,
        processes=processes,
        environment=_filled(trace.environment, text.environment),
        gaps=[*trace.gaps, *gaps],
    )


class _Known:
    """What a trace tells of, in the terms in which text would tell it again."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._ids: set[tuple[type, int, str]] = set()
        self._broken: Counter[tuple[int, str, str, int]] = Counter()
        self._texts: set[tuple[type, int, str]] = set()
        self._functions: set[tuple[int, str, int]] = set()
        for event in events:
            if isinstance(event, (Compiled, Recompiled, FellBack)):
                self._ids.add((type(event), event.process, event.compile_id))
                self._functions.add((event.process, event.frame.path, event.frame.line))
            elif isinstance(event, GraphBroke):
                self._broken[self._place(event)] += 1
            elif isinstance(event, Errored):
                self._texts.add((Errored, event.process, _first_line(event.text)))
            elif isinstance(event, Warned):
                self._texts.add((Warned, event.process, _warning(event)))

    def lacks(self, event: Event) -> bool:
        """Whether `event`, which text told, is not in the trace."""
        if isinstance(event, (Symbol, Specialized, Guarded)):
            return False
        if isinstance(event, (Compiled, Recompiled, FellBack)):
            if event.compile_id[:1] in ("", "?"):  # text without ids
                place = (event.process, event.frame.path, event.frame.line)
                return place not in self._functions
            return (type(event), event.process, event.compile_id) not in self._ids
        if isinstance(event, GraphBroke):
            place_ = self._place(event)
            if self._broken[place_] > 0:
                self._broken[place_] -= 1
                return False
            return True
        if isinstance(event, Errored):  # the trace has the cause, text the exception around it
            return not any(
                kind is Errored and process == event.process and text and text in event.text
                for kind, process, text in self._texts
            )
        if isinstance(event, Warned):
            return (Warned, event.process, _warning(event)) not in self._texts
        return True

    @staticmethod
    def _place(event: GraphBroke) -> tuple[int, str, str, int]:
        return event.process, event.type, event.frame.path, event.frame.line


def _warning(event: Warned) -> str:
    """What tells one warning from another: its text, and the line that it is about."""
    return f"{event.frame.line if event.frame else 0} {_first_line(event.text)}"


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0].strip()


def _with_limit(event: Event, limits: dict[tuple[int, str], FellBack]) -> Event:
    """The trace does not say how high a limit was."""
    if isinstance(event, FellBack) and (told := limits.get((event.process, event.compile_id))):
        return msgspec.structs.replace(event, limit=told.limit, limit_name=told.limit_name)
    return event


def _same(process: Process, traced: list[Process], texts: int) -> int | None:
    """The traced process that `process` is."""
    for number, other in enumerate(traced):
        if process.pid and process.pid == other.pid:
            return number
    if process.pid == 0:
        ranked = [
            number
            for number, other in enumerate(traced)
            if process.rank is None or process.rank == other.rank
        ]
        if len(ranked) == 1 and (texts == 1 or process.rank is not None):
            return ranked[0]
    return None


def _place(process: Process, processes: list[Process], pids: dict[int, int]) -> int:
    if process.pid and process.pid in pids:
        return pids[process.pid]
    processes.append(process)
    if process.pid:
        pids[process.pid] = len(processes) - 1
    return len(processes) - 1


def _moved(event: Any, numbers: list[int]) -> Any:
    number = numbers[event.process]
    return event if number == event.process else msgspec.structs.replace(event, process=number)


def _filled(known: Environment, other: Environment) -> Environment:
    """`known`, completed from `other`."""
    changes = {
        name: getattr(other, name)
        for name in known.__struct_fields__
        if not getattr(known, name) and getattr(other, name)
    }
    return msgspec.structs.replace(known, **changes) if changes else known
