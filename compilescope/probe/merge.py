"""Joins the two feeds: processes by pid, calls by compile id, events by time."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.model import (
    Callable,
    Called,
    Compiled,
    DeviceMemory,
    Event,
    FellBack,
    Frame,
    Gap,
    GraphBreakKind,
    GraphBroke,
    Input,
    Signature,
    Warned,
)
from compilescope.probe import kernels, messages, singletons
from compilescope.probe.function_text import function_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.logs.log import Log
    from compilescope.probe.processes import Processes
    from compilescope.probe.records import CallRecord, ProcessRecord

MOST_CALLS = 100_000
"""Calls that a session keeps; the rest are steady calls, and a gap says how many."""


def calls(
    agents: list[ProcessRecord], processes: Processes, gaps: list[Gap]
) -> tuple[tuple[Callable, ...], tuple[Signature, ...], list[Called]]:
    """Everything that was called, with callables and signatures numbered across processes."""
    callables: list[Callable] = []
    signatures: dict[tuple[Input, ...], int] = {}
    found: list[Called] = []
    for agent in agents:
        process = processes.index(agent.pid)
        numbers = {}
        for number in sorted({call.callable for call in agent.calls}):
            numbers[number] = len(callables)
            callables.append(_callable(process, agent.callables.get(number, {})))
        inputs = {number: _inputs(fields) for number, fields in agent.signatures.items()}
        first = _first_indexes(agent.calls)
        for call in agent.calls:
            known = inputs.get(call.signature) if call.signature is not None else None
            found.append(
                Called(
                    process=process,
                    callable=numbers[call.callable],
                    index=call.index - first[call.callable],
                    at=agent.wall(call.start),
                    seconds=call.duration / 1e9,
                    compiles=call.compiles,
                    signature=None
                    if known is None
                    else signatures.setdefault(known, len(signatures)),
                    eager=call.eager,
                    thread=call.thread,
                    error=call.error,
                    device_seconds=_seconds(agent.device.get((call.callable, call.index))),
                    peak_bytes=call.peak,
                )
            )
    return tuple(callables), tuple(Signature(key) for key in signatures), _thinned(found, gaps)


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9


def memory(agents: list[ProcessRecord], processes: Processes) -> tuple[DeviceMemory, ...]:
    """What each process held of each device."""
    return tuple(
        DeviceMemory(
            process=processes.index(agent.pid),
            device=note["device"],
            peak_allocated=note.get("allocated"),
            peak_reserved=note.get("reserved"),
            total=note.get("total"),
            pools=tuple(note.get("pools", ())),
        )
        for agent in agents
        for note in agent.all("memory")
    )


def _first_indexes(found: Iterable[CallRecord]) -> dict[int, int]:
    """The number of each callable's first call: a forked child goes on with its parent's count."""
    first: dict[int, int] = {}
    for call in found:
        first[call.callable] = min(call.index, first.get(call.callable, call.index))
    return first


def _callable(process: int, fields: dict[str, Any]) -> Callable:
    path = fields.get("path", "")
    return Callable(
        process=process,
        name=fields.get("name", "unknown"),
        frame=Frame(path, fields.get("line", 0), fields.get("function", "")) if path else None,
        kind="module" if fields.get("kind") == "module" else "function",
        options=fields.get("options", {}),
        variables=tuple(fields.get("variables", ())),
    )


def _inputs(fields: list[dict[str, Any]]) -> tuple[Input, ...]:
    return tuple(
        Input(
            source=item["source"],
            type=item.get("type", "Tensor"),
            shape=tuple(item["shape"]) if "shape" in item else None,
            stride=tuple(item["stride"]) if "stride" in item else None,
            dtype=item.get("dtype", ""),
            device=item.get("device", ""),
            requires_grad=item.get("requires_grad", False),
            value=item.get("value", ""),
        )
        for item in fields
    )


def _thinned(found: list[Called], gaps: list[Gap]) -> list[Called]:
    if len(found) <= MOST_CALLS:
        return found
    notable = [
        call.compiles or call.eager or call.error or call.signature is not None for call in found
    ]
    step = -(-len(found) // max(1, MOST_CALLS - min(sum(map(bool, notable)), MOST_CALLS // 2)))
    kept = [
        call
        for place, (call, special) in enumerate(zip(found, notable, strict=True))
        if (special or place % step == 0)
    ]
    left = len(found) - len(kept)
    gaps.append(
        Gap(
            "steady calls that the session does not keep one by one",
            count=left,
            share=left / len(found),
            detail=f"of {len(found)} calls every one that compiled, failed, ran eagerly or"
            f" brought other inputs is kept, and each {step}th of the others",
        )
    )
    return kept


def events(
    log: Log, agents: list[ProcessRecord], processes: Processes, called: list[Called]
) -> tuple[Event, ...]:
    """All events by time; those without a time stay behind the event that they followed."""
    placed: list[tuple[float, Event]] = []
    last: dict[int, float] = {}
    ids = {agent.pid: agent.first("torch").get("singletons", {}) for agent in agents}
    for told_of in log.events:
        pid = log.processes[told_of.process].pid
        event = singletons.named(told_of, ids.get(pid, {}))
        process = processes.index(pid)
        at = getattr(event, "at", None)
        last[process] = at if at is not None else last.get(process, 0.0)
        placed.append((last[process], msgspec.structs.replace(event, process=process)))
    known = {
        (event.process, event.frame.line, Path(event.frame.path).name)
        for _, event in placed
        if isinstance(event, FellBack)
    }
    told_there = {(event.text, event.frame) for _, event in placed if isinstance(event, Warned)}
    for agent in agents:
        process = processes.index(agent.pid)
        for note in agent.all("limit"):
            fell = _fell_back(process, note)
            if (process, fell.frame.line, Path(fell.frame.path).name) not in known:
                placed.append((note["at"], fell))
        placed += [
            (at, told)
            for at, told in messages.events(agent, process)
            if not isinstance(told, Warned) or (told.text, told.frame) not in told_there
        ]
        placed += kernels.events(agent, process)
    calls = called if _any_paid(agents) else _paid_by_time(called, [event for _, event in placed])
    placed += [(call.at, call) for call in calls]
    placed.sort(key=lambda pair: pair[0])
    return tuple(event for _, event in placed)


def _fell_back(process: int, note: dict[str, Any]) -> FellBack:
    limit = note.get("limit")
    return FellBack(
        process=process,
        frame=function_frame(note.get("function", "")),
        at=note["at"],
        limit=limit if isinstance(limit, int) else None,
        limit_name=note.get("name", "").removeprefix("config.") or "recompile_limit",
    )


def _any_paid(agents: list[ProcessRecord]) -> bool:
    return any(call.compiles for agent in agents for call in agent.calls)


def _paid_by_time(called: list[Called], found: list[Event]) -> list[Called]:
    """Give each compile to the one call that was running then, where there is exactly one."""
    paid: dict[int, list[str]] = {}
    for event in found:
        if isinstance(event, Compiled) and event.at is not None and not event.backward:
            running = [
                place
                for place, call in enumerate(called)
                if call.process == event.process and call.at <= event.at <= call.at + call.seconds
            ]
            if len(running) == 1:
                paid.setdefault(running[0], []).append(event.compile_id)
    return [
        msgspec.structs.replace(call, compiles=tuple(paid[place])) if place in paid else call
        for place, call in enumerate(called)
    ]


def graph_break_kinds(
    agents: list[ProcessRecord], found: tuple[Event, ...]
) -> tuple[GraphBreakKind, ...]:
    """The entries of the installed torch's registry that the events name."""
    named = {event.gb_id for event in found if isinstance(event, GraphBroke) and event.gb_id}
    torch = next((agent.first("torch") for agent in agents if agent.first("torch")), {})
    if not named or not torch.get("folder"):
        return ()
    registry: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        path = Path(torch["folder"], "_dynamo", "graph_break_registry.json")
        registry = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        GraphBreakKind(
            gb_id=gb_id,
            type=str(entries[0].get("Gb_type", "")),
            explanation=str(entries[0].get("Explanation", "")),
            hints=tuple(str(hint) for hint in entries[0].get("Hints", ())),
        )
        for gb_id in sorted(named)
        if (entries := registry.get(gb_id))
    )


def gaps(agents: list[ProcessRecord]) -> list[Gap]:
    """What the record lacks."""
    found: list[Gap] = []
    if not agents:
        why = "torch was never imported, or the interpreter was told to ignore PYTHONPATH (-I, -E)"
        found.append(Gap("no process wrote a record", detail=why))
    for agent in agents:
        if agent.damaged:
            total = agent.damaged + len(agent.calls) + len(agent.notes)
            found.append(Gap("lines of the record cut short", agent.damaged, agent.damaged / total))
        found += [
            Gap(f"not recorded: {note['what']}", detail=note["why"])
            for note in agent.all("missing")
        ]
        found += [
            Gap(
                "the agent failed at something",
                detail=f"{note.get('where', '')}: {note.get('text', '')}",
            )
            for note in agent.all("trouble")
        ]
        version = agent.first("torch").get("version", "")
        if _older_than_2_6(version):
            detail = f"torch {version}; compilescope supports 2.6 and newer"
            found.append(Gap("this torch is too old to be recorded fully", detail=detail))
    unique = {(gap.what, gap.detail): gap for gap in found}
    return list(unique.values())


def _older_than_2_6(version: str) -> bool:
    parts = version.split(".")
    with suppress(ValueError, IndexError):
        return (int(parts[0]), int(parts[1])) < (2, 6)
    return False
