"""The diagnosis for a terminal: the verdict first, then causes by the seconds they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from compilescope.diagnose.verdict import duration

from .device import panels, steady
from .paper import blank, text_on
from .strip import BLOCKS, marks, strip
from .visible import visible
from .words import companions, ending, few, find, gap, letters, numbers, short

if TYPE_CHECKING:
    from rich.console import Console

    from compilescope.diagnosis import (
        Break,
        CallSeries,
        Cause,
        Diagnosis,
        Fallback,
        Remedy,
    )
    from compilescope.model import Frame

    from .device import Panel

_INDENT = 3
_MOST_ENTRIES = 4  # of a panel
_MOST = 8  # causes, and breaks; the dearest come first
_MOST_STRIPS = 4  # callables whose calls are drawn, the dearest first


def render(
    diagnosis: Diagnosis,
    /,
    *,
    width: int = 80,
    color: bool = False,
    everything: bool = False,
    **_options: Any,
) -> str:
    """The report as text.

    Args:
        diagnosis: What to show.
        width: Columns to fill.
        color: Whether to write escape codes; without them code stays in backticks.
        everything: Whether to show every remedy and notice, and not only the first ones.
    """
    console = blank(width, color=color)
    shown = visible(diagnosis)
    page = _Page(console, shown, color=color, everything=everything)
    page.print()
    return text_on(console)


class _Page:
    def __init__(
        self, console: Console, diagnosis: Diagnosis, *, color: bool, everything: bool
    ) -> None:
        self.console = console
        self.diagnosis = diagnosis
        self.color = color
        self.everything = everything
        self.letters = letters(diagnosis)

    def print(self) -> None:
        self._head()
        self._calls()
        for fallback in self.diagnosis.fallbacks:
            self._fallback(fallback)
        most = None if self.everything else _MOST
        for cause in self.diagnosis.causes[:most]:
            self._cause(cause)
        self._more(len(self.diagnosis.causes), "cause", "causes")
        for item in self.diagnosis.graph_breaks[:most]:
            self._break(item)
        self._more(len(self.diagnosis.graph_breaks), "graph break", "graph breaks")
        self._errors()
        for panel in panels(self.diagnosis, everything=self.everything):
            self._panel(panel)
        self._incomplete()

    def _head(self) -> None:
        found = self.diagnosis
        counts = found.counts
        parts = [found.name] if found.name else []
        parts += [few(counts.calls, "call")] if counts.calls else []
        parts += [few(counts.compiles, "graph")]
        parts += [f"torch {found.environment.torch}"] if found.environment.torch else []
        self.console.print(Text(" · ".join(parts), style="dim"))
        if ending(found):
            self.console.print(self._prose(ending(found), "yellow"))
        style = "bold green" if found.status == "clean" else "bold"
        self.console.print(self._prose(found.verdict, style))
        if found.recovery:
            self.console.print(self._prose(found.recovery))

    def _calls(self) -> None:
        drawable = [series for series in self.diagnosis.calls if len(series.seconds) > 1]
        if not drawable:
            return
        several = len(self.diagnosis.calls) > 1
        labels = [self._label(series) if several else "calls" for series in drawable[:_MOST_STRIPS]]
        width = max(map(len, labels))
        self.console.print()
        for label, series in zip(labels, drawable, strict=False):
            lettered = marks(self.diagnosis, series, self.letters)
            line = Text(f"{label:{width}}  ", style="dim")
            for mark in strip(series, lettered, self.console.width - width - 2):
                line.append(mark, style="bold red" if mark not in BLOCKS else "cyan")
            self.console.print(line)
        left = len(self.diagnosis.calls) - len(labels)
        if left:
            self._say(f"and {few(left, 'more compiled callable')}, whose calls took less", "dim")
        if said := steady(self.diagnosis):
            self.console.print(Text(said, style="dim"))

    def _label(self, series: CallSeries) -> str:
        """The name of a callable, with its rank where there are several processes."""
        name = series.name if len(series.name) <= 24 else f"{series.name[:23]}…"
        if len(self.diagnosis.processes) < 2 or series.process >= len(self.diagnosis.processes):
            return name
        rank = self.diagnosis.processes[series.process].rank
        return name if rank is None else f"{name} rank {rank}"

    def _fallback(self, item: Fallback) -> None:
        self._title("!", "runs eagerly", item.frame, f"{item.limit_name} reached", "bold red")
        self._source(item.frame)
        self._say(item.why)

    def _more(self, count: int, one: str, many: str) -> None:
        if count > _MOST and not self.everything:
            self.console.print()
            self._say(f"{few(count - _MOST, f'more {one}', f'more {many}')}: --all", "dim")

    def _cause(self, cause: Cause) -> None:
        cost = duration(cause.seconds_lost) if cause.seconds_lost else "cost unknown"
        letter = self.letters[cause.id]
        self._title(letter, cost, cause.frame, few(cause.times, "recompile"), "bold red")
        self._source(cause.frame, cause.source)
        self._say(cause.why)
        for line in companions(cause, None if self.everything else 2):
            self._say(line)
        if cause.calls:
            which = "call" if len(cause.calls) == 1 else "calls"
            self._say(f"{which} {numbers(cause.calls)}", "dim")
        self._remedies(cause.remedies)

    def _break(self, item: Break) -> None:
        what = f"graph break {item.gb_id}".rstrip()
        happened = "the whole function runs eagerly" if item.whole_frame else "splits the graph"
        self._title("/", what, item.frame, happened, "bold yellow")
        self._source(item.frame)
        self._say(item.why)
        self._remedies(item.remedies)

    def _panel(self, panel: Panel) -> None:
        self.console.print()
        begins = panel.said.startswith(panel.heading)
        line = Text("" if begins else panel.heading, style="bold")
        line.append(f"  {panel.said}" if panel.said and not begins else panel.said)
        self.console.print(line)
        most = None if self.everything else _MOST_ENTRIES
        for entry in panel.entries[:most]:
            line = Text("-  ", style="bold yellow")
            line.append(entry.title, style="bold")
            line.append(f"  {entry.extra}" if entry.extra else "")
            if entry.frame:
                line.append(f"  {short(entry.frame.path)}:{entry.frame.line}", style="cyan")
                line.append(f" in {entry.frame.function}" if entry.frame.function else "")
            self.console.print(line, soft_wrap=False, overflow="fold")
            if entry.frame:
                self._source(entry.frame)
            for text in entry.texts:
                self._say(text)
            self._remedies(entry.remedies)
        if most is not None and len(panel.entries) > most:
            self._say(f"{len(panel.entries) - most:,} more: --all", "dim")

    def _errors(self) -> None:
        for text in dict.fromkeys(self.diagnosis.errors):
            self.console.print()
            self.console.print(Text("x  error", style="bold red"))
            self._say(text if self.everything else "\n".join(text.splitlines()[:6]))

    def _incomplete(self) -> None:
        if self.diagnosis.incomplete:
            self.console.print()
        for missing in self.diagnosis.incomplete:
            self.console.print(self._prose(f"incomplete: {gap(missing)}", "yellow"))

    def _title(self, mark: str, cost: str, frame: Frame, extra: str, style: str) -> None:
        self.console.print()
        line = Text(f"{mark}  ", style=style)
        line.append(cost, style="bold")
        line.append(f"  {extra}  ")
        line.append(f"{short(frame.path)}:{frame.line}", style="cyan")
        if frame.function:
            line.append(f" in {frame.function}")
        self.console.print(line, soft_wrap=False, overflow="fold")

    def _source(self, frame: Frame, expression: str = "") -> None:
        text = self.diagnosis.sources.get(frame.path, {}).get(frame.line) or frame.code
        code = text.strip()
        if not code:
            return
        gutter = f"{frame.line} | "
        room = self.console.width - _INDENT - len(gutter)
        line = Text(" " * _INDENT + gutter, style="dim")
        line.append(_fit(code, room))
        self.console.print(line, no_wrap=True)
        at, length = find(code, expression)
        if length and at + length <= room:
            carets = " " * (_INDENT + len(gutter) - 2) + "| " + " " * at + "^" * length
            self.console.print(Text(carets, style="red"), no_wrap=True)

    def _remedies(self, remedies: Sequence[Remedy]) -> None:
        shown = remedies if self.everything else remedies[:1]
        for remedy in shown:
            unsafe = "unsafe, " if remedy.unsafe else ""
            self._say(f"fix: {remedy.text} ({unsafe}{remedy.proof})", "green")
            for line in remedy.snippet.splitlines():
                self.console.print(
                    Text(" " * (_INDENT + 2) + line, style="bold"), soft_wrap=not self.color
                )
            if remedy.price:
                self._say(f"  price: {remedy.price}", "dim")
        if len(remedies) > len(shown):
            others = ", ".join(remedy.id for remedy in remedies[len(shown) :])
            self._say(f"else, with --all: {others}", "dim")

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(Padding(self._prose(text, style), (0, 0, 0, _INDENT)))

    def _prose(self, text: str, style: str = "") -> Text:
        """Prose whose `code` is coloured, or kept in backticks where there is no colour."""
        if not self.color:
            return Text(text)
        line = Text(style=style)
        for index, part in enumerate(text.split("`")):
            line.append(part, style="cyan" if index % 2 else "")
        return line


def _fit(code: str, room: int) -> str:
    return code if len(code) <= room else code[: max(0, room - 1)] + "…"
