"""The forecast for a terminal: how many more graphs, because of what, at which price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from compilescope.diagnose.verdict import duration
from compilescope.forecast.naming import named

from . import forecast_words as words
from .paper import blank, text_on
from .visible import visible
from .words import few, place

if TYPE_CHECKING:
    from rich.console import Console

    from compilescope.diagnosis import Diagnosis
    from compilescope.model import Forecast, ForecastCallable, ForecastCause

_MOST = 10  # inputs; the ones with the fewest special sizes come first
_STYLES = {"good": "green", "bad": "yellow", "open": ""}


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
        self.everything = everything
        most = max(len(forecast.calls), len(forecast.state))
        self.most = most if everything else _MOST

    def print(self) -> None:
        self._line(words.sentence(self.forecast), style="bold")
        if proof := words.proof(self.forecast):
            self._line(proof, style="bold")
        for frame in self.forecast.frames:
            self._line(words.limit(frame), indent=2)
        if self.forecast.stopped:
            self._line(f"Not complete: {self.forecast.stopped}.", indent=2, style="yellow")
        for cause in self.forecast.causes:
            self._cause(cause)
        for target in self.forecast.callables:
            self._inputs(target)
        self._state()
        self._fixed()
        self._remedies()
        self._warmup()

    def _state(self) -> None:
        varied = [entry for entry in self.forecast.state if entry.varied]
        if varied:
            self.console.print()
            self._line(f"{words.STATE}:", style="bold")
        for entry in varied[: self.most]:
            self._line(f"{words.state(entry)}  ({place(entry.frame)})", indent=3)
            if entry.remedy:
                self._line(f"fix: {entry.remedy}", indent=5, style="cyan")
        if len(varied) > self.most:
            self._line(f"… and {len(varied) - self.most} more: --all", indent=3, style="dim")

    def _fixed(self) -> None:
        held = words.state_fixed(self.forecast.state, *([self.most] if self.everything else []))
        if not (self.forecast.fixed or held):
            return
        self.console.print()
        self._line(f"{words.FIXED}:", style="bold")
        if held:
            self._line(held, indent=3, style="dim")
        for target in self.forecast.callables:
            mine = [one for one in self.forecast.fixed if one.callable == target.callable]
            compiled = [one for one in mine if one.graphs]
            if mine and len(self.forecast.callables) > 1:
                self._line(target.name, indent=3)
            for entry in compiled[: self.most]:
                where = f"  ({place(entry.frame)})" if entry.frame and entry.frame.path else ""
                self._line(f"{words.fixed(entry)}{where}", indent=3)
            if len(compiled) > self.most:
                more = len(compiled) - self.most
                self._line(f"… and {more} more: --all", indent=3, style="dim")
            if text := words.asked(mine):
                self._line(text, indent=3, style="dim")
            if target.fixed_cut:
                self._line("Time ended before all of it was tried.", indent=3, style="yellow")

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
        text, tone = words.warmup(self.forecast)
        if text:
            self.console.print()
            self._line(f"Warm-up: {text}", style=_STYLES[tone])

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
        self._line(f"{target.name}{where}: {words.tried(target)}", style="bold")
        for text in words.remarks(target):
            self._line(text, indent=3, style="yellow")
        ordered = sorted(mine, key=lambda call: (call.repeat, len(call.causes)))
        for text in words.inputs_of(ordered)[: self.most]:
            self._line(text, indent=3)
        if len(ordered) > self.most:
            self._line(f"… and {len(ordered) - self.most} more: --all", indent=3, style="dim")

    def _line(self, text: str, *, indent: int = 0, style: str = "") -> None:
        self.console.print(Padding(Text(text, style=style), (0, 0, 0, indent)))
