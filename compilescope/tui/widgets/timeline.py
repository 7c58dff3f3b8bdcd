"""The calls of one callable from left to right: how long each took, and what happened in it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from compilescope.tui.views.words import few, printable, seconds
from compilescope.tui.widgets.styled import Styled

if TYPE_CHECKING:
    from textual.events import Click

    from compilescope.tui.views.index import Index

_BLOCKS = " ▁▂▃▄▅▆▇█"
_RANK = {"!": 0, "▴": 1}  # of the marks that share a column the highest is shown; letters are 2
_WIDEST = 6  # columns that one call may take


class Timeline(Styled):
    """A caption, one to three rows of blocks on a log scale, and a row of marks."""

    PARTS = "timeline"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"timeline--{name}" for name in ("caption", "block", "cause", "compile", "eager", "cursor")
    }

    class Picked(Message):
        """A call was clicked."""

        def __init__(self, call: int) -> None:
            super().__init__()
            self.call = call

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.index: Index | None = None
        self.call = 0
        self.highlighted: frozenset[int] = frozenset()
        self._drawn: tuple[Any, ...] = ()
        self._heights: list[float] = []
        self._slowest: list[int] = []
        self._marks: dict[int, str] = {}
        self._each = 1

    def show(self, index: Index) -> None:
        """Draw another series."""
        self.index = index
        self._drawn = ()
        count = len(index.series.seconds) if index.series else 0
        self.call = min(self.call, max(0, count - 1))
        self.refresh()

    def select(self, call: int) -> None:
        """Put the cursor on a call."""
        self.call = call
        self._remark()

    def highlight(self, calls: Iterable[int]) -> None:
        """Mark the calls that belong to what is selected."""
        self.highlighted = frozenset(calls)
        self._remark()

    def _remark(self) -> None:
        """Draw the caption and the marks again; the blocks between stay as they are."""
        width, height = self.size
        self.refresh(Region(0, 0, width, 1), Region(0, height - 1, width, 1))

    def on_click(self, event: Click) -> None:
        """Pick the slowest call of the column under the mouse."""
        offset = event.get_content_offset(self)
        column = offset.x // self._each if offset is not None else -1
        if self.index is not None and 0 <= column < len(self._slowest):
            self.post_message(self.Picked(self._slowest[column]))

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        base = self.base
        series = self.index.series if self.index else None
        if series is None or not series.seconds:
            text = "No calls were recorded." if y == 0 and self.index else ""
            style = base + self.part("caption")
            return Strip([Segment(text, style)]).adjust_cell_length(width, base)
        self._draw(width)
        if y == 0:
            return self._caption(width)
        if y == height - 1:
            return self._mark_row(width)
        return self._block_row(y - 1, height - 2, width)

    def _draw(self, width: int) -> None:
        assert self.index is not None
        assert self.index.series is not None
        values = self.index.series.seconds
        if self._drawn == (id(values), width):
            return
        self._drawn = (id(values), width)
        self._each = max(1, min(_WIDEST, width // len(values)))
        columns = min(width, len(values))
        edges = [column * len(values) // columns for column in range(columns + 1)]
        slowest, calls = [], []
        for start, stop in pairwise(edges):
            part = values[start:stop]
            most = max(part)
            slowest.append(most)
            calls.append(start + part.index(most))
        low, high = _log(min(slowest)), _log(max(slowest))
        span = high - low
        self._heights = [(_log(value) - low) / span if span > 0 else 0.0 for value in slowest]
        self._slowest = calls
        self._marks = {}
        for call, mark in self.index.marks.items():
            column = self._column(call)
            known = self._marks.get(column, "")
            if not known or _RANK.get(mark, 2) > _RANK.get(known, 2):
                self._marks[column] = mark

    @property
    def _bar(self) -> int:
        # Bars that are wide enough stand apart.
        return self._each - 1 if self._each > 2 else self._each

    def _column(self, call: int) -> int:
        assert self.index is not None
        assert self.index.series is not None
        count = len(self.index.series.seconds)
        columns = len(self._slowest)
        # The column whose edges enclose the call: the inverse of `column * count // columns`.
        return min(columns - 1, ((call + 1) * columns - 1) // count)

    def _caption(self, width: int) -> Strip:
        assert self.index is not None
        series = self.index.series
        assert series is not None
        many = len(self.index.diagnosis.calls)
        which = f" [{self.index.number + 1}/{many}]" if many > 1 else ""
        steady = f", steady {seconds(series.steady)}" if series.steady is not None else ""
        left = f"{printable(series.name)}{which}  {few(len(series.seconds), 'call')}{steady}"
        mark = self.index.marks.get(self.call, "")
        letters = self.index.letter_at(self.call)
        note = {"▴": "  compile", "!": "  eager"}.get(mark, f"  cause {letters}" if mark else "")
        right = f"call {self.call:,}  {seconds(series.seconds[self.call])}{note}"
        room = max(0, width - len(right) - 2)
        text = f"{left[:room]:<{room}}  {right}"
        base = self.base + self.part("caption")
        return Strip([Segment(text, base)]).adjust_cell_length(width, base)

    def _block_row(self, row: int, rows: int, width: int) -> Strip:
        cells = []
        for height in self._heights:
            # At least an eighth, so that the cheapest call is seen.
            eighths = max(1, round(height * rows * 8)) - (rows - 1 - row) * 8
            block = _BLOCKS[max(0, min(8, eighths))]
            cells.append(block * self._bar + " " * (self._each - self._bar))
        return self._line(cells, set(), width)

    def _mark_row(self, width: int) -> Strip:
        cursor = self._column(self.call)
        lit = {self._column(call) for call in self.highlighted}
        cells = [
            (self._marks.get(column) or ("^" if column == cursor else " ")).ljust(self._each)
            for column in range(len(self._heights))
        ]
        return self._line(cells, {cursor, *lit}, width)

    def _line(self, cells: list[str], lit: set[int], width: int) -> Strip:
        """The cells in their styles, neighbours of one style as one segment."""
        base = self.base
        styles = {name: base + self.part(name) for name in ("block", "cause", "compile", "eager")}
        reverse = self.part("cursor")
        segments = []
        kinds = (
            (column in lit, _sort(self._marks.get(column, ""))) for column in range(len(cells))
        )
        for (selected, name), run in groupby(zip(kinds, cells, strict=True), itemgetter(0)):
            text = "".join(cell for _, cell in run)
            style = styles[name]
            if selected and len(text) == self._each > self._bar:
                segments.append(Segment(text[: self._bar], style + reverse))
                segments.append(Segment(text[self._bar :], style))
            else:
                segments.append(Segment(text, style + reverse if selected else style))
        return Strip(segments).adjust_cell_length(width, base)


def _sort(mark: str) -> str:
    if mark.isalpha() or mark == "?":
        return "cause"
    return {"▴": "compile", "!": "eager"}.get(mark, "block")


def _log(value: float) -> float:
    return math.log10(max(value, 1e-7))
