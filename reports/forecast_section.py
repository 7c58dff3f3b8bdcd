"""The forecast on the page: what happened, what would, what the warm-up proved to cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .words import few, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import (
        Forecast,
        ForecastCall,
        ForecastCallable,
        ForecastCause,
        ForecastFrame,
    )

_MOST = 12  # inputs of one callable; those with the fewest special sizes come first


@dataclass(frozen=True)
class Target:
    """A compiled callable: how far it was explored, and the inputs that would recompile."""

    name: str
    tried: str
    lines: tuple[str, ...]


class Section:
    """A forecast, in the words and groups of the page."""

    def __init__(self, forecast: Forecast, anchors: Sequence[str]) -> None:
        self.anchors = tuple(anchors)
        self._graphs = [call for call in forecast.calls if call.what == "graph"]
        self.sentence = _sentence(forecast, self._graphs)
        self.limits = tuple(_limit(frame) for frame in forecast.frames)
        self.warmup = _warmup(forecast)
        self.targets = tuple(self._target(item) for item in forecast.callables)

    @staticmethod
    def named(cause: ForecastCause) -> str:
        """What sets the inputs apart, in a few words."""
        where = "" if cause.dimension is None else f".shape[{cause.dimension}]"
        values = f" = {' or '.join(cause.values)}" if cause.values else ""
        return f"{cause.source}{where}{values}" if cause.source else "other sizes"

    def _target(self, item: ForecastCallable) -> Target:
        own = sorted(
            (call for call in self._graphs if call.callable == item.callable),
            key=lambda call: len(call.causes),
        )
        lines = [f"A call could not be made again: {text}" for text in item.unusable]
        lines += [
            f"Every further value of `{source}` compiles a graph." for source in item.unbounded
        ]
        lines += [f"Never varied, and would compile a graph if it did: {one}" for one in item.fixed]
        lines += [_input(call) for call in own[:_MOST]]
        if len(own) > _MOST:
            lines.append(f"and {few(len(own) - _MOST, 'more input')}")
        return Target(item.name or "a callable", _tried(item), tuple(lines))


def _sentence(forecast: Forecast, graphs: Sequence[ForecastCall]) -> str:
    if not graphs:
        tried = sum(item.tried for item in forecast.callables)
        if forecast.stopped or not tried:
            return "Nothing that would recompile was found."
        return f"Nothing would recompile: {few(tried, 'input')} tried, no other graph needed."
    least = "at least " if any(item.cut for item in forecast.callables) else ""
    count = sum(call.graphs for call in graphs)
    cost = f", {seconds(forecast.seconds)} of compiling" if forecast.seconds else ""
    failing = sum(bool(call.error) for call in graphs)
    fails = f"; {few(failing, 'input')} would fail to compile" if failing else ""
    return (
        f"{few(len(graphs), 'input')} that never came would compile {least}"
        f"{few(count, 'more graph')}{cost}{fails}."
    )


def _limit(frame: ForecastFrame) -> str:
    text = (
        f"`{frame.frame.function}` has {few(frame.now, 'graph')} and could need {frame.more} more"
    )
    if frame.limit is None:
        return f"{text}."
    if frame.now + frame.more <= frame.limit:
        return f"{text}: its {frame.limit_name} of {frame.limit} is not reached."
    then = "calls raise" if frame.raises else "new inputs run eagerly"
    return f"{text}: its {frame.limit_name} of {frame.limit} would be reached, and then {then}."


def _warmup(forecast: Forecast) -> str:
    warmup = forecast.warmup
    if warmup is None or not warmup.calls:
        return ""
    cost = f", {seconds(warmup.seconds)} of compiling" if warmup.seconds else ""
    text = f"{few(len(warmup.calls), 'call')} at start-up{cost}"
    if warmup.left is None:
        if warmup.error:
            return f"{text}. It could not be tried: {warmup.error}"
        return f"{text}. Not tried: `compilescope forecast --emit warmup.py` writes and tries it."
    if warmup.left:
        return f"{text}. Tried: {few(warmup.left, 'input')} still recompiled after it."
    return f"{text}. Proved: after it none of these inputs compiled anything."


def _tried(item: ForecastCallable) -> str:
    text = f"{few(item.tried, 'input')} tried, {item.served:,} served by the graphs there are"
    if item.invalid:
        text += f", {item.invalid:,} that the program itself cannot take"
    return f"{text}; time ended before the inputs did" if item.cut else text


def _input(call: ForecastCall) -> str:
    if call.repeat:
        again = ", and at each further call" if call.unbounded else ""
        text = f"the input of call {call.call} once more{again}"
    else:
        parts = [
            f"`{change.source}"
            + ("" if change.dimension is None else f".shape[{change.dimension}]")
            + f"` = {change.value}"
            for change in call.changes
        ]
        text = ", ".join(parts) or "ordinary sizes, all different"
        text += f"; {call.layout}" if call.layout else ""
    covered = {True: " (covered by the warm-up)", False: " (not covered)", None: ""}[call.covered]
    error = f" (fails to compile: {call.error.splitlines()[0]})" if call.error else ""
    return text + covered + error
