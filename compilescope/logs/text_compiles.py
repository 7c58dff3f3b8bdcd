"""Recompilations of a text log, and the compiles that they and other records imply."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from compilescope.logs.text_story import Told
from compilescope.logs.text_telling import Key, Telling
from compilescope.model import Compiled, Frame, Recompiled


def add_compiles(telling: Telling) -> None:
    """Recompilations, and the compiles that they and other records imply."""
    attempts: dict[Key, int] = defaultdict(int)
    for told, frame in telling.story.starts:
        key = (telling.process(told), told.compile_id)
        attempts[key] += 1
        _compile(telling, told, key, frame, recompile=False)
    for one in telling.rejected:
        if one.frame.path:
            for failure in one.failures:
                if failure.entry:
                    key = (one.process, failure.entry)
                    again = not failure.entry.endswith("/0")
                    _compile(telling, one.told, key, one.frame, recompile=again, earlier=True)
        telling.put(
            one.told,
            Recompiled(
                process=one.process,
                compile_id=one.compile_id,
                frame=one.frame,
                at=telling.unix(one.told),
                reasons=one.failures,
                refused=one.refused,
            ),
        )
        if one.frame.path and one.compile_id and not one.refused and not one.prevented:
            key = (one.process, one.compile_id)
            _compile(telling, one.told, key, one.frame, recompile=True)
    _place_compiles(telling, attempts)


def _compile(
    telling: Telling, told: Told, key: Key, frame: Frame, *, recompile: bool, earlier: bool = False
) -> None:
    known = telling.compiled.get(key)
    if known is not None:
        if recompile and not earlier and not known[1].recompile:
            again = msgspec.structs.replace(known[1], recompile=True)
            telling.compiled[key] = (known[0], again)
        return
    event = Compiled(
        process=key[0],
        compile_id=key[1],
        frame=frame,
        at=None if earlier else telling.unix(told),
        recompile=recompile,
    )
    telling.compiled[key] = (told.number * 2 - earlier, event)


def _place_compiles(telling: Telling, attempts: dict[Key, int]) -> None:
    story = telling.story
    guards = {(telling.processes.index(owner), cid): v for (owner, cid), v in story.guards.items()}
    latency = {
        (telling.processes.index(owner), cid): v for (owner, cid), v in story.latencies.items()
    }
    for key, (place, event) in telling.compiled.items():
        number, before = (place + 1) // 2, place % 2
        full = msgspec.structs.replace(
            event,
            attempts=max(1, attempts.get(key, 1)),
            guards=guards.get(key, ()),
            guard_count=len(guards[key]) if key in guards else None,
            guard_latency=latency.get(key),
        )
        telling.placed.append((number, 0 if before else 2, full))
