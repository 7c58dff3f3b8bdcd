"""The forecast for a terminal: how many more graphs, because of what, at which price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from compilescope.diagnose.verdict import duration
from compilescope.forecast.naming import named

from .paper import blank, text_on
from .visible import visible
from .words import few, place

if TYPE_CHECKING:
    from rich.console import Console

    from compilescope.diagnosis import Diagnosis
    from compilescope.model import (
        Forecast,
        ForecastCall,
        ForecastCallable,
        ForecastCause,
        ForecastFrame,
    )

_MOST = 10  # inputs; the ones with the fewest special sizes come first


def render(
    diagnosis: Diagnosis,
    /,
    *,
    width: int = 80,
    color: bool = False,
    everything: bool = False,
    **_options: Any,
) -> str:
    """The forecast as text, or a line that says that the session holds none.

    Args:
        diagnosis: What to show.
        width: Columns to fill.
        color: Whether to write escape codes.
        everything: Whether to show every input and not only the first ones.
    """
    console = blank(width, color=color)
    shown = visible(diagnosis)
    if shown.forecast is None:
        return "This session holds no forecast: `compilescope forecast script.py` makes one.\n"
    _Page(console, shown.forecast, everything=everything).print()
    return text_on(console)


class _Page:
    def __init__(self, console: Console, forecast: Forecast, *, everything: bool) -> None:
        self.console = console
        self.forecast = forecast
        self.graphs = [call for call in forecast.calls if call.what == "graph"]
        self.most = len(self.graphs) if everything else _MOST

    def print(self) -> None:
        self._line(_verdict(self.forecast, self.graphs), style="bold")
        for frame in self.forecast.frames:
            self._line(_limit(frame), indent=2)
        if self.forecast.stopped:
            self._line(f"Not complete: {self.forecast.stopped}.", indent=2, style="yellow")
        for cause in self.forecast.causes:
            self._cause(cause)
        for target in self.forecast.callables:
            self._inputs(target)
        self._remedies()
        self._warmup()

    def _remedies(self) -> None:
        tried = [one for one in self.forecast.remedies if one.graphs is not None or one.why]
        if tried:
            self.console.print()
            self._line("Forecast again with remedies:", style="bold")
        for one in tried:
            self._line(one.text, indent=3, style="cyan")
            if one.graphs is None:
                self._line(f"not tried: {one.why}", indent=5, style="yellow")
                continue
            left = f", with {'; '.join(one.left)}" if one.left else ""
            self._line(f"{few(one.graphs, 'more graph')}{left}", indent=5)
            if one.price:
                self._line(f"price: {one.price}", indent=5, style="dim")

    def _warmup(self) -> None:
        warm = self.forecast.warmup
        if warm is None or not self.graphs:
            return
        self.console.print()
        text = f"Warm-up: {few(len(warm.calls), 'call')} for all of it"
        if warm.error:
            self._line(f"{text}; when tried it ended with {warm.error}", style="yellow")
        elif warm.left is None:
            self._line(f"{text} (--emit warmup.py writes it and tries it)")
        elif warm.left:
            still = f"{few(warm.left, 'input')} still compiled after it"
            self._line(f"{text}; {still}", style="yellow")
        else:
            self._line(f"{text}; proved by a run: nothing compiled after it", style="green")

    def _cause(self, cause: ForecastCause) -> None:
        self.console.print()
        cost = f", {duration(cause.seconds)}" if cause.seconds else ""
        happened = f"; happened {few(cause.happened, 'time')}" if cause.happened else ""
        part = f"part of {few(cause.inputs, 'input')}{cost}{happened}"
        self._line(f"{named(cause)}: {part}", style="bold")
        self._line(cause.why, indent=3)
        if cause.frame.path:
            self._line(place(cause.frame), indent=3, style="dim")
        if cause.remedy:
            self._line(f"fix: {cause.remedy}", indent=3)
        for line in cause.snippet.splitlines():
            self._line(line, indent=7, style="cyan")

    def _inputs(self, target: ForecastCallable) -> None:
        mine = [call for call in self.graphs if call.callable == target.callable]
        self.console.print()
        where = f" ({place(target.frame)})" if target.frame else ""
        self._line(f"{target.name}{where}: {_tried(target)}", style="bold")
        for text in target.unusable:
            self._line(f"A call could not be made again: {text}", indent=3, style="yellow")
        for source in target.unbounded:
            self._line(f"Every further value of {source} compiles a graph.", indent=3)
        fixed = f"Never varied, and not counted: {', '.join(target.fixed)}"
        if target.fixed:
            self._line(f"{fixed}. Another value would compile (--assume).", indent=3)
        ordered = sorted(mine, key=lambda call: (call.repeat, len(call.causes)))
        for call in ordered[: self.most]:
            self._line(_input(call), indent=3)
        if len(ordered) > self.most:
            self._line(f"… and {len(ordered) - self.most} more: --all", indent=3, style="dim")

    def _line(self, text: str, *, indent: int = 0, style: str = "") -> None:
        self.console.print(Padding(Text(text, style=style), (0, 0, 0, indent)))


def _verdict(forecast: Forecast, graphs: list[ForecastCall]) -> str:
    if not graphs:
        tried = sum(target.tried for target in forecast.callables)
        return f"Nothing would recompile: {few(tried, 'input')} tried, no other graph needed."
    least = "at least " if any(item.cut for item in forecast.callables) else ""
    count = sum(call.graphs for call in graphs)
    cost = f", {duration(forecast.seconds)} of compiling" if forecast.seconds else ""
    failing = sum(bool(call.error) for call in graphs)
    fails = f"; {few(failing, 'input')} would fail to compile" if failing else ""
    return f"This program can be made to compile {least}{few(count, 'more graph')}{cost}{fails}."


def _limit(frame: ForecastFrame) -> str:
    name = f"{frame.frame.function} ({place(frame.frame)})" if not frame.frame.function else ""
    where = name or place(frame.frame)
    text = f"{where}: {few(frame.now, 'graph')} now, {frame.more} more"
    if frame.limit is None:
        return text
    if frame.now + frame.more <= frame.limit:
        return f"{text}; its {frame.limit_name} of {frame.limit} is not reached"
    left = max(frame.limit - frame.now, 0)
    then = "such calls raise" if frame.raises else "inputs that no graph serves run eagerly"
    return f"{text}; its {frame.limit_name} of {frame.limit} is reached after {left}: then {then}"


def _tried(target: ForecastCallable) -> str:
    text = f"{few(target.tried, 'input')} tried, {target.served} served"
    if target.invalid:
        text += f", {target.invalid} that the program itself cannot take"
    return f"{text}; time ended before the inputs did" if target.cut else text


def _input(call: ForecastCall) -> str:
    from compilescope.forecast.warmup import title

    if call.repeat:
        again = " and at each further call" if call.unbounded else ""
        text = f"the input of call {call.call} once more{again}"
    else:
        text = title(call) or "ordinary sizes, all different"
    return f"{text}  ({call.error.splitlines()[0]})" if call.error else text
