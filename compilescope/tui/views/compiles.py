"""Compile time: every compile with its phases, attempts and what was wasted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.tui.views.document import guard, source, title
from compilescope.tui.views.table import Block, Column, Table, Tone
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Compile
    from compilescope.tui.views.index import Index

_TONES: dict[str, Tone] = {"failed": "bad", "skipped": "dim", "empty": "dim", "unfinished": "warn"}
_BAR = 24


def table(index: Index) -> Table:
    """Every compile, in order."""
    return Table(
        index.diagnosis.compiles,
        (
            Column("id", lambda item: item.compile_id, 8),
            Column("time", lambda item: brief(item.seconds), 9, _cost, True, True),
            Column("call", _call, 8, lambda item: item.call or 0, right=True),
            Column("outcome", lambda item: _outcome(index, item), 14),
            Column("function", lambda item: place(item.frame), 26, whole=True),
            Column("phases", _phases),
        ),
        document=lambda item: tuple(_blocks(index, item)),
        identity=lambda item: f"{item.process} {item.compile_id} {item.outcome == 'backward'}",
        values=lambda item: _values(index, item),
        empty="No compile was recorded.",
        tone=lambda item: "bad" if item.recompile else _TONES.get(item.outcome, ""),
        frame=lambda item: item.frame,
        calls=lambda item: _on_strip(index, item),
        into=lambda item: _into(index, item),
    )


def _cost(item: Compile) -> float:
    return item.seconds or 0.0


def _call(item: Compile) -> str:
    return f"{item.call:,}" if item.call is not None else ""


def _letter(index: Index, item: Compile) -> str:
    found = index.recompile_with.get((item.process, item.compile_id))
    return index.letters.get(found.cause, "?") if found and item.recompile else ""


def _outcome(index: Index, item: Compile) -> str:
    if item.outcome == "compiled" and item.recompile:
        return f"recompiled {_letter(index, item)}"
    return item.outcome


def _phases(item: Compile) -> str:
    dear = sorted(item.phases.items(), key=lambda part: -part[1])
    return "  ".join(f"{name} {seconds(value)}" for name, value in dear[:3])


def _on_strip(index: Index, item: Compile) -> tuple[int, ...]:
    series = index.series
    if series is None or item.call is None:
        return ()
    ours = (item.process, item.callable) == (series.process, series.callable)
    return (item.call,) if ours else ()


def _into(index: Index, item: Compile) -> tuple[str, str] | None:
    letter = _letter(index, item)
    return ("1", f"cause:{letter}") if letter else None


def _values(index: Index, item: Compile) -> dict[str, str | float | None]:
    return {
        "id": item.compile_id,
        "cause": _letter(index, item),
        "kind": "recompile" if item.recompile else item.outcome,
        "file": item.frame.path,
        "fn": item.frame.function,
        "phase": " ".join(item.phases),
        "call": item.call,
        "n": item.attempts,
        "s": item.seconds,
    }


def _blocks(index: Index, item: Compile) -> Iterable[Block]:
    yield from title(f"Compile [{item.compile_id}]: {seconds(item.seconds)}", item.frame)
    yield from source(index.diagnosis.sources, item.frame)
    yield Block(f"Outcome: {_outcome(index, item)}")
    if item.call is not None:
        yield Block(f"Paid for by call {item.call:,}")
    if item.attempts > 1:
        text = f"{few(item.attempts, 'attempt')}, {seconds(item.wasted)} before the last restart"
        yield Block(text, "warn")
    if item.graph_ops is not None:
        yield Block(f"Graph of {few(item.graph_ops, 'operation')}")
    if item.guard_count is not None:
        yield Block(f"{few(item.guard_count, 'guard')} to check at each call")
    if item.phases:
        yield Block("Phases", heading=True)
        longest = max(item.phases.values()) or 1.0
        for name, value in sorted(item.phases.items(), key=lambda part: -part[1]):
            bar = "█" * max(1, round(_BAR * value / longest)) if value else ""
            yield Block(f"{name:<12} {seconds(value):>8}  {bar}", indent=2, code=True)
    recompile = index.recompile_with.get((item.process, item.compile_id))
    if recompile and recompile.reasons and item.recompile:
        yield Block("Guards that failed, one for each graph in the cache", heading=True)
        for reason in recompile.reasons:
            yield from guard(reason)
