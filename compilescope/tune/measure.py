"""What a run did, in numbers, from its session and from what the overlay wrote beside it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from compilescope.diagnosis import Diagnosis
from compilescope.model import Called, Compiled, FellBack, Recompiled, Session
from compilescope.tune.agreement import Digests
from compilescope.tuning import Measures


@dataclass(frozen=True)
class Span:
    """A call of the whole model, where only its parts are compiled callables."""

    pid: int
    callable: str
    began: float
    ended: float


@dataclass
class Notes:
    """The overlay's own record of all processes of a run."""

    outputs: Digests = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    eager: list[tuple[int, float]] = field(default_factory=list)  # process id and time
    inputs: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    applied: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)  # what some calls do not bring
    held: dict[str, object] = field(default_factory=dict)  # settings by name, as they were held
    waited: bool = False  # whether a call that was served beside a compile waited for one
    warm_ups: list[tuple[float, float]] = field(default_factory=list)
    rss: int | None = None
    device: int | None = None

    @property
    def background(self) -> bool:
        """Whether compiles ran beside the calls, in a thread or process of their own."""
        return any(what.startswith("background compile") for what in self.applied)

    def add_place(self, line: dict[str, Any]) -> None:
        """Keep a line that calls a callable; several processes call from the same ones."""
        known = self.places.setdefault(line["callable"], [])
        if (line["path"], line["line"]) not in [(one["path"], one["line"]) for one in known]:
            known.append(line)


def read_notes(folder: Path) -> Notes:
    """Everything in the overlay's files; a line that was cut short is left out."""
    notes = Notes()
    for place, (pid, lines) in enumerate(_processes(folder)):
        for line in lines:
            with suppress(KeyError):
                _read(notes, line, pid, place)
    return notes


def _processes(folder: Path) -> list[tuple[int, list[dict[str, Any]]]]:
    """Each process's lines, in an order that is the same in each run: by rank, else by start."""
    found = []
    for path in folder.glob("overlay-*.jsonl"):
        lines: list[dict[str, Any]] = []
        for text in path.read_bytes().splitlines():
            with suppress(msgspec.DecodeError):
                lines.append(msgspec.json.decode(text))
        first = lines[0] if lines else {}
        rank = str(first.get("rank") or "")
        key = (int(rank) if rank.isdigit() else -1, int(first.get("began") or 0))
        found.append((key, int(path.stem.rpartition("-")[2]), lines))
    return [(pid, lines) for _, pid, lines in sorted(found, key=lambda one: one[:2])]


def _read(  # noqa: C901  one case for each kind of line
    notes: Notes, line: dict[str, Any], pid: int, process: int
) -> None:
    match line["record"]:
        case "outputs":
            notes.outputs[process, line["callable"], line["index"]] = line["tensors"]
        case "eager":
            notes.eager.append((pid, line["at"] / 1e9))
        case "call":
            span = Span(pid, line["callable"], line["began"] / 1e9, line["ended"] / 1e9)
            notes.spans.append(span)
        case "inputs":
            notes.inputs.append(line)
        case "place":
            notes.add_place(line)
        case "refused":
            notes.refused.append(f"{line['what']}: {line['why']}")
        case "applied":
            notes.applied.add(line["what"])
        case "absent":
            notes.absent.add(line["what"])
        case "held":
            notes.held[line["mode"]] = line["value"]
        case "waited":
            notes.waited = True
        case "warm_up":
            notes.warm_ups.append((line["began"] / 1e9, line["ended"] / 1e9))
        case "memory":
            notes.rss = max(notes.rss or 0, line.get("rss") or 0) or None
            notes.device = max(notes.device or 0, line.get("device") or 0) or None


def measure(session: Session, diagnosis: Diagnosis, notes: Notes) -> Measures:
    """The numbers of one run; what warm-up calls did counts as warm-up only."""
    every = [event for event in session.events if isinstance(event, Called)]
    if notes.background and not notes.waited:
        # A session without a call that waited gives a compile to the call that ran at its time.
        every = [msgspec.structs.replace(call, compiles=()) for call in every]
    if notes.eager:
        every = _marked_eager(session, every, notes.eager)
    if notes.spans:
        every = _whole(session, every, notes.spans)
    calls = [call for call in every if not _within(call.at, notes.warm_ups)]
    # Eager calls too, where a remedy leaves some of them to eager code.
    steady = sorted(call.seconds for call in calls if not (call.compiles or call.error))
    later = [call.seconds for call in calls[1:]]
    recompiles, places = _recompiles(session, every, calls, notes)
    compiled = [event for event in session.events if isinstance(event, Compiled)]
    return Measures(
        calls=len(calls),
        recompiles=recompiles,
        recompiled_at=places,
        breaks=len(diagnosis.graph_breaks),
        fallbacks=sum(isinstance(event, FellBack) for event in session.events),
        eager_calls=sum(call.eager for call in calls),
        compiles=sum(event.outcome == "compiled" for event in compiled),
        compile_seconds=sum(event.seconds or 0.0 for event in compiled),
        first=calls[0].seconds if calls else None,
        steady=median(steady) if steady else None,
        p99=steady[min(len(steady) - 1, int(len(steady) * 0.99))] if steady else None,
        worst=max(later) if later else None,
        total=session.seconds,
        warm_up=sum(end - start for start, end in notes.warm_ups),
        rss=notes.rss,
        device_memory=notes.device,
    )


def _recompiles(
    session: Session, every: list[Called], calls: list[Called], notes: Notes
) -> tuple[int, tuple[int, ...]]:
    """How many recompiles the program's own calls paid for, and which calls those were."""
    warm = {(call.process, name) for call in every if _within(call.at, notes.warm_ups)
            for name in call.compiles}  # fmt: skip
    found = [
        event
        for event in session.events
        if isinstance(event, Recompiled) and (event.process, event.compile_id) not in warm
    ]
    paid = {(call.process, name): position for position, call in enumerate(calls)
            for name in call.compiles}  # fmt: skip
    if notes.background:
        found = [event for event in found if (event.process, event.compile_id) in paid]
    places = (paid.get((event.process, event.compile_id)) for event in found)
    return len(found), tuple(sorted({place for place in places if place is not None}))


def _marked_eager(
    session: Session, calls: list[Called], eager: list[tuple[int, float]]
) -> list[Called]:
    """`calls`, of which the last before each of the moments in `eager` ran eagerly."""
    numbers = {process.pid: place for place, process in enumerate(session.processes)}
    found = list(calls)
    for pid, at in eager:
        process = numbers.get(pid, 0)
        began = [n for n, one in enumerate(found) if one.process == process and one.at <= at]
        if began:
            last = max(began, key=lambda number: found[number].at)
            found[last] = msgspec.structs.replace(found[last], eager=True)
    return found


def _whole(session: Session, parts: list[Called], spans: list[Span]) -> list[Called]:
    """The calls of whole models, each with what the calls inside it paid for; and all others."""
    numbers = {process.pid: place for place, process in enumerate(session.processes)}
    found = []
    for place, span in enumerate(spans):
        process = numbers.get(span.pid, 0)
        inside = [
            one for one in parts
            if one.process == process and span.began <= one.at <= span.ended
        ]  # fmt: skip
        found.append(
            Called(
                process=process,
                callable=-1,
                index=place,
                at=span.began,
                seconds=span.ended - span.began,
                compiles=tuple(name for one in inside for name in one.compiles),
                eager=any(one.eager for one in inside),
                error=next((one.error for one in inside if one.error), ""),
            )
        )
    within = {
        (process, one.at)
        for span in spans
        for process in [numbers.get(span.pid, 0)]
        for one in parts
        if one.process == process and span.began <= one.at <= span.ended
    }
    others = [one for one in parts if (one.process, one.at) not in within]
    return sorted([*found, *others], key=lambda one: one.at)


def _within(at: float, intervals: Iterable[tuple[float, float]]) -> bool:
    return any(start <= at <= end for start, end in intervals)
