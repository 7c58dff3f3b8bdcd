"""Recompilations that have not happened yet: what would bring them, and what covers them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.forecast.naming import named
from compilescope.forecast.warmup import title as input_title
from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Table, Tone
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.model import (
        Forecast,
        ForecastCallable,
        ForecastCause,
        ForecastFrame,
        ForecastWarmup,
    )
    from compilescope.tui.views.index import Index

_NONE = (
    "This session holds no forecast.\n"
    "`compilescope forecast script.py` finds the inputs that would recompile."
)


def table(index: Index) -> Table:
    """What sets the inputs apart that no graph would take, as the forecast ranks it."""
    found = index.diagnosis.forecast
    return Table(
        found.causes if found is not None else (),
        (
            Column("state", _state, 12),
            Column("cost", _cost, 9, lambda item: item.seconds or 0.0, down=True, right=True),
            Column("inputs", lambda item: f"{item.inputs:,}", 7, lambda i: i.inputs, True, True),
            Column("what", named, 30),
            Column("where", lambda item: place(item.frame), 24, whole=True),
            Column("why", lambda item: item.why),
        ),
        document=lambda item: tuple(_blocks(index.diagnosis, item)),
        identity=lambda item: item.id,
        values=_values,
        empty=_empty(found),
        tone=_tone,
        frame=lambda item: item.frame if item.frame.path else None,
        fix=lambda item: item.snippet or item.remedy,
    )


def _empty(found: Forecast | None) -> str:
    if found is None:
        return _NONE
    tried = sum(one.tried for one in found.callables)
    if found.stopped:
        return f"Not complete: {found.stopped}."
    return f"Nothing would recompile: {few(tried, 'input')} tried."


def _state(item: ForecastCause) -> str:
    if item.covered:
        return "✓ covered"
    return f"↻ {few(item.happened, 'time')}" if item.happened else "→ would"


def _tone(item: ForecastCause) -> Tone:
    if item.covered:
        return "good"
    return "bad" if item.happened else "warn"


def _cost(item: ForecastCause) -> str:
    return brief(item.seconds) if item.seconds else ""


def _values(item: ForecastCause) -> dict[str, str | float | None]:
    state = "covered" if item.covered else "happened" if item.happened else "would"
    return {
        "kind": f"{state} {item.kind}",
        "file": item.frame.path,
        "fn": item.frame.function,
        "n": item.inputs,
        "s": item.seconds,
        "source": item.source,
        "why": item.why,
    }


def _blocks(found: Diagnosis, item: ForecastCause) -> Iterable[Block]:
    forecast = found.forecast
    assert forecast is not None
    yield from title(named(item), item.frame if item.frame.path else None)
    yield from source(found.sources, item.frame, item.source)
    yield Block("Why", heading=True)
    yield Block(item.why)
    if item.happened:
        yield Block(f"It happened in this run: {few(item.happened, 'recompile')}.", "bad")
    alone = f", {item.alone:,} of them with nothing else special" if item.alone else ""
    yield Block(f"{few(item.inputs, 'input')} would recompile for it{alone}.")
    if item.smallest is not None and item.smallest < len(forecast.calls):
        smallest = input_title(forecast.calls[item.smallest])
        yield Block(f"The simplest: {smallest or 'ordinary sizes, all different'}", "dim")
    if item.remedy:
        yield Block("Fix", heading=True)
        yield Block(item.remedy, "good")
    if item.snippet:
        yield Block(item.snippet, "strong", indent=2, code=True)
    yield from _whole(forecast)


def _whole(forecast: Forecast) -> Iterable[Block]:
    yield Block("The whole forecast", heading=True)
    graphs = [call for call in forecast.calls if call.what == "graph"]
    cost = f", {seconds(forecast.seconds)} of compiling" if forecast.seconds else ""
    count = sum(call.graphs for call in graphs)
    yield Block(f"{few(len(graphs), 'input')} would compile {few(count, 'more graph')}{cost}")
    if forecast.stopped:
        yield Block(f"Not complete: {forecast.stopped}.", "warn")
    if forecast.warmup is not None:
        yield _warmup(forecast.warmup)
    for remedy in forecast.remedies:
        left = remedy.why or (
            "" if remedy.graphs is None else f"{few(remedy.graphs, 'graph')} would be left"
        )
        yield Block(f"With {remedy.text}: {left}", indent=2)
    for frame in forecast.frames:
        yield Block(_limit(frame), indent=2)
    for entry in forecast.state:
        if entry.varied:
            seen = ", ".join(entry.values)
            text = f"Each new value of `{entry.source}` compiles a graph; so far {seen}."
            yield Block(text, "warn", indent=2)
    for target in forecast.callables:
        yield from _target(target)


def _warmup(warmup: ForecastWarmup) -> Block:
    calls = few(len(warmup.calls), "warm-up call")
    if warmup.error:
        return Block(f"{calls}: ended with {warmup.error}", "bad")
    if warmup.left is None:
        return Block(f"{calls} would compile everything; not tried", "warn")
    if warmup.left:
        return Block(f"After {calls} {few(warmup.left, 'input')} still recompiled", "warn")
    return Block(f"{calls} compile everything: proved by calling it afterwards", "good")


def _limit(frame: ForecastFrame) -> str:
    text = f"{place(frame.frame)}: {few(frame.now, 'graph')} now, {frame.more} more"
    if frame.limit is None:
        return text
    if frame.now + frame.more <= frame.limit:
        return f"{text}; the {frame.limit_name} of {frame.limit} is not reached"
    then = "such calls raise" if frame.raises else "the rest runs eagerly"
    return f"{text}; past the {frame.limit_name} of {frame.limit} {then}"


def _target(target: ForecastCallable) -> Iterable[Block]:
    cut = "; time ended before the inputs did" if target.cut else ""
    tried = f"{few(target.tried, 'input')} tried, {target.served:,} served{cut}"
    yield Block(f"{target.name or 'a callable'}: {tried}", "dim", indent=2)
    for size in target.unbounded:
        yield Block(f"Every further value of `{size}` compiles a graph.", "warn", indent=4)
    for text in target.unusable:
        yield Block(f"A call could not be made again: {text}", "warn", indent=4)
    for text in target.fixed:
        yield Block(f"Never varied, would compile if it did: {text}", "dim", indent=4)
