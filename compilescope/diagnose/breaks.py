"""Graph breaks, one entry a kind and user line, however often they were logged."""

from __future__ import annotations

import os.path
from collections import defaultdict

from compilescope.diagnose.break_advice import advise
from compilescope.diagnose.errors import eager_breaks
from compilescope.diagnose.evidence import torch_version
from compilescope.diagnose.functions import continues_at, named, written
from compilescope.diagnose.identity import identify, numbered
from compilescope.diagnosis import Break
from compilescope.model import Compiled, Frame, GraphBroke, Session
from compilescope.paths import is_library


def explain_breaks(session: Session) -> tuple[Break, ...]:
    """Every distinct graph break, the most expensive first."""
    groups: dict[tuple[str, str, int], list[GraphBroke]] = defaultdict(list)
    frames: dict[tuple[int, str], Frame] = {}
    rests: dict[tuple[int, str], int | None] = {}
    graphs: set[tuple[int, Frame]] = set()
    for event in (*session.events, *eager_breaks(session)):
        if isinstance(event, GraphBroke):
            key = (event.gb_id or event.type, event.frame.path, event.frame.line)
            groups[key].append(event)
        elif isinstance(event, Compiled):
            frames.setdefault((event.process, event.compile_id), written(event.frame))
            rests.setdefault((event.process, event.compile_id), continues_at(event.frame))
            if event.outcome == "compiled":
                graphs.add((event.process, event.frame))
    seconds = _continuations(session)
    found = numbered(
        {
            key: _explain(session, events, frames, seconds, graphs, rests)
            for key, events in groups.items()
        }
    )
    return tuple(
        sorted(found.values(), key=lambda item: (-item.seconds, not item.whole_frame, -item.times))
    )


def _owner_of(event: GraphBroke, frames: dict[tuple[int, str], Frame]) -> Frame | None:
    """The compiled function, where it is a library's, told at the user's call, or else unnamed."""
    owner = frames.get((event.process, event.compile_id))
    if owner is None or not event.frame.function:
        return owner
    return owner if is_library(owner.path) and not is_library(event.frame.path) else None


def _continuations(session: Session) -> dict[tuple[str, int], float]:
    """Seconds of compiling the rest of a function after a break, by path and line of the break."""
    seconds: dict[tuple[str, int], float] = defaultdict(float)
    for event in session.events:
        if isinstance(event, Compiled) and (line := continues_at(event.frame)) is not None:
            seconds[event.frame.path, line] += event.seconds or 0.0
    return seconds


def _explain(
    session: Session,
    events: list[GraphBroke],
    frames: dict[tuple[int, str], Frame],
    seconds: dict[tuple[str, int], float],
    graphs: set[tuple[int, Frame]],
    rests: dict[tuple[int, str], int | None],
) -> Break:
    first = next((event for event in events if not event.duplicate), events[0])
    whole_frame = any(event.whole_frame for event in events)
    torch = torch_version(session.environment.torch)
    known = next((kind for kind in session.graph_break_kinds if kind.gb_id == first.gb_id), None)
    owners = [frames.get((event.process, event.compile_id)) for event in events]
    had_graphs = any(
        event.whole_frame and (event.process, owner) in graphs
        for event, owner in zip(events, owners, strict=True)
    )
    why, remedies = advise(
        first,
        torch,
        whole_frame=whole_frame,
        had_graphs=had_graphs,
        owner=_owner_of(first, frames),
        rest_of=rests.get((first.process, first.compile_id)),
        known=known,
    )
    functions = named(frame for frame in owners if frame) or (written(first.frame).function,)
    lines = {frame.line for frame in (first.frame, *first.stack)}
    return Break(
        id=identify(
            first.gb_id or first.type, os.path.basename(first.frame.path), first.frame.function
        ),
        gb_id=first.gb_id,
        type=first.type,
        frame=first.frame,
        times=len(events),
        whole_frame=whole_frame,
        why=why,
        stack=first.stack,
        explanation=first.explanation or (known.explanation if known else ""),
        hints=first.hints or (known.hints if known else ()),
        functions=functions,
        compile_ids=tuple(dict.fromkeys(event.compile_id for event in events)),
        seconds=sum(seconds.get((first.frame.path, line), 0.0) for line in lines),
        remedies=remedies,
    )
