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
from compilescope.tuning import Measures


@dataclass
class Notes:
    """The overlay's own record of all processes of a run."""

    outputs: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    applied: set[str] = field(default_factory=set)
    warm_ups: list[tuple[float, float]] = field(default_factory=list)
    rss: int | None = None
    device: int | None = None


def read_notes(folder: Path) -> Notes:
    """Everything in the overlay's files; a line that was cut short is left out."""
    notes = Notes()
    for path in sorted(folder.glob("overlay-*.jsonl")):
        for line in path.read_bytes().splitlines():
            with suppress(msgspec.DecodeError, KeyError):
                _read(notes, msgspec.json.decode(line))
    return notes


def _read(notes: Notes, line: dict[str, Any]) -> None:
    match line["record"]:
        case "outputs":
            notes.outputs[line["callable"], line["index"]] = line["tensors"]
        case "inputs":
            notes.inputs.append(line)
        case "place":
            notes.places.setdefault(line["callable"], line)
        case "refused":
            notes.refused.append(f"{line['what']}: {line['why']}")
        case "applied":
            notes.applied.add(line["what"])
        case "warm_up":
            notes.warm_ups.append((line["began"] / 1e9, line["ended"] / 1e9))
        case "memory":
            notes.rss = max(notes.rss or 0, line.get("rss") or 0) or None
            notes.device = max(notes.device or 0, line.get("device") or 0) or None


def measure(session: Session, diagnosis: Diagnosis, notes: Notes) -> Measures:
    """The numbers of one run; what warm-up calls did counts as warm-up only."""
    every = [event for event in session.events if isinstance(event, Called)]
    calls = [call for call in every if not _within(call.at, notes.warm_ups)]
    steady = sorted(
        call.seconds for call in calls if not (call.compiles or call.eager or call.error)
    )
    later = [call.seconds for call in calls[1:]]
    warm = {(call.process, name) for call in every if _within(call.at, notes.warm_ups)
            for name in call.compiles}  # fmt: skip
    recompiles = [
        event
        for event in session.events
        if isinstance(event, Recompiled) and (event.process, event.compile_id) not in warm
    ]
    compiled = [event for event in session.events if isinstance(event, Compiled)]
    paid = {(call.process, name): position for position, call in enumerate(calls)
            for name in call.compiles}  # fmt: skip
    found = (paid.get((event.process, event.compile_id)) for event in recompiles)
    return Measures(
        calls=len(calls),
        recompiles=len(recompiles),
        recompiled_at=tuple(sorted({place for place in found if place is not None})),
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


def _within(at: float, intervals: Iterable[tuple[float, float]]) -> bool:
    return any(start <= at <= end for start, end in intervals)
