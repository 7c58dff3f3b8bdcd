"""A list of any length: rows are made when they are drawn, so a hundred thousand cost nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from compilescope.tui.keys import bindings
from compilescope.tui.views.words import printable
from compilescope.tui.widgets.styled import Pane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.binding import BindingType
    from textual.events import Click, Resize

    from compilescope.tui.views.table import Column, Table

_GUTTER = 2
_GAP = 1
_OTHERS = 0.4  # of the room, for the columns that have no width of their own


class Grid(Pane):
    """A table with one selected row."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    PARTS = "grid"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"grid--{name}"
        for name in ("header", "cursor", "bad", "warn", "good", "dim", "strong", "empty", "bar")
    }

    class Moved(Message):
        """The user selected another row."""

    class Entered(Message):
        """The selected row is to be looked into."""

    class Sorted(Message):
        """A column's title was clicked."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.table: Table | None = None
        self.rows: Sequence[int] = ()
        self.cursor = 0
        self.sorted: tuple[int | None, bool] = (None, False)
        self._widths: list[int] = []

    @property
    def _as_given(self) -> bool:
        """Whether every item is there, in the order of the table."""
        whole = self.table is not None and len(self.rows) == len(self.table.items)
        return whole and self.sorted == (None, False)

    @property
    def fixed(self) -> int:
        """The titles of the columns."""
        return 1

    @property
    def item(self) -> Any:
        """What is selected; None where there is nothing."""
        if self.table is None or not 0 <= self.cursor < len(self.rows):
            return None
        return self.table.items[self.rows[self.cursor]]

    def show(
        self,
        table: Table,
        rows: Sequence[int],
        *,
        keep: int | None = None,
        order: tuple[int | None, bool] = (None, False),
    ) -> None:
        """Show these items of `table`; `keep` is the item that stays selected, if it is there."""
        self.table, self.rows, self.sorted = table, rows, order
        self._measure()
        try:
            self.cursor = rows.index(keep) if keep is not None else 0
        except ValueError:
            self.cursor = 0
        self._reveal()
        self.refresh()

    def select(self, item: int) -> bool:
        """Select an item by its place in the table; False where the filter hides it."""
        try:
            self.move(self.rows.index(item))
        except ValueError:
            return False
        return True

    def move(self, row: int) -> None:
        """Select a row."""
        row = max(0, min(row, len(self.rows) - 1))
        if row != self.cursor:
            # Two rows change, unless all of them scroll: the rest is not drawn again.
            top = int(self.scroll_offset.y)
            changed = [Region(0, at + 1 - top, self.size.width, 1) for at in (self.cursor, row)]
            self.cursor = row
            self.post_message(self.Moved())
            self.refresh(*changed)
        self._reveal()

    def action_down(self) -> None:
        self.move(self.cursor + 1)

    def action_up(self) -> None:
        self.move(self.cursor - 1)

    def action_page_down(self) -> None:
        self.move(self.cursor + self._page())

    def action_page_up(self) -> None:
        self.move(self.cursor - self._page())

    def action_first(self) -> None:
        self.move(0)

    def action_last(self) -> None:
        self.move(len(self.rows) - 1)

    def action_enter(self) -> None:
        if self.item is not None:
            self.post_message(self.Entered())

    def on_click(self, event: Click) -> None:
        """Select the row under the mouse, enter it at a double click, sort by a title."""
        offset = event.get_content_offset(self)
        if offset is None or self.table is None or offset.x >= self.room:
            return
        if offset.y == 0:
            column = self._column_at(offset.x)
            if column is not None:
                self.post_message(self.Sorted(column))
            return
        row = offset.y - 1 + int(self.scroll_offset.y)
        if row < len(self.rows):
            self.move(row)
            if event.chain == 2:
                self.action_enter()

    def on_resize(self, _event: Resize) -> None:
        self._measure()
        self._reveal()

    def line(self, y: int) -> Strip:
        width = self.room
        if self.table is None or not width:
            return Strip.blank(width, self.base)
        if len(self._widths) != len(self.table.columns):
            self._measure()
        if y == 0:
            return self._header(width)
        row = y - 1 + int(self.scroll_offset.y)
        if row < len(self.rows):
            return self._row(row, width)
        if not self.rows and y >= 2:
            return self._empty(y - 2, width)
        return Strip.blank(width, self.base)

    def _header(self, width: int) -> Strip:
        assert self.table is not None
        cells = []
        for number, column in enumerate(self.table.columns):
            by, down = self.sorted
            arrow = ("▼" if down else "▲") if by == number else ""
            cells.append(_fit(column.title + arrow, self._widths[number], right=column.right))
        style = self.part("header")
        return _line([Segment(" " * _GUTTER + " ".join(cells), style)], width, style)

    def _row(self, row: int, width: int) -> Strip:
        assert self.table is not None
        item = self.table.items[self.rows[row]]
        base = self.base
        selected = row == self.cursor
        if selected:
            base += self.part("cursor")
        tone = self.table.tone(item)
        toned = base + self.part(tone) if tone else base
        segments = [Segment("› " if selected else "  ", base)]
        for number, column in enumerate(self.table.columns):
            text = self._text(item, column, self._widths[number])
            # The tone says what the mark or word in the first column says too.
            segments.append(Segment(text, toned if number == 0 or tone == "dim" else base))
            segments.append(Segment(" " * _GAP, base))
        return _line(segments, width, base)

    def _text(self, item: Any, column: Column, width: int) -> str:
        text = printable(column.cell(item))
        before = column.branch(item) if column.branch is not None and self._as_given else ""
        if column.whole:
            text = _whole(text, width - len(before))
        return _fit(before + text, width, right=column.right)

    def _empty(self, line: int, width: int) -> Strip:
        assert self.table is not None
        text = self.table.empty if not self.table.items else "No row matches the filter: esc"
        lines = text.split("\n")
        style = self.base + self.part("empty")
        shown = "  " + lines[line] if line < len(lines) else ""
        return _line([Segment(shown, style)], width, style)

    def _measure(self) -> None:
        if self.table is None or not self.room:
            return
        columns = self.table.columns
        room = self.room - _GUTTER - _GAP * len(columns)
        flexible = [number for number, column in enumerate(columns) if not column.width]
        widths = [column.width for column in columns]
        if flexible and room - sum(widths) < room * _OTHERS:
            # A wide column gives way to the text beside it where the terminal is narrow.
            widths = [min(width, max(12, room // 4)) for width in widths]
        left = room - sum(widths)
        for number in flexible:
            widths[number] = max(0, left // len(flexible))
        self._widths = widths
        self.extend(len(self.rows) + 1)

    def _column_at(self, x: int) -> int | None:
        start = _GUTTER
        for number, width in enumerate(self._widths):
            if start <= x < start + width + _GAP:
                return number
            start += width + _GAP
        return None

    def _page(self) -> int:
        return max(1, self.size.height - 2)

    def _reveal(self) -> None:
        height = self.size.height
        if height < 2:
            return
        top = int(self.scroll_offset.y)
        wanted = min(max(top, self.cursor + 2 - height), self.cursor)
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        # The header stays, so that a scrolled region cannot be shifted as a whole.
        self.refresh(Region(0, 0, self.size.width, self.size.height))


def columns_to_sort(columns: Sequence[Column]) -> list[int]:
    """The columns by which `sort` goes round: those that have a title."""
    return [number for number, column in enumerate(columns) if column.title]


def _fit(text: str, width: int, *, right: bool = False) -> str:
    if width <= 0:
        return ""
    text = text.replace("\n", " ")
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…"
    return " " * (width - length) + text if right else text + " " * (width - length)


def _whole(text: str, width: int) -> str:
    """The first words of `text`, as many as fit; the end of the first where not even that does.

    Of `path.py:12` the end is what tells one line from another.
    """
    if cell_len(text) <= width:
        return text
    cut = text.rfind(" ", 0, width + 1)
    if cut > 0:
        return text[:cut]
    first = text.partition(" ")[0]
    while cell_len(first) >= width > 1:
        first = first[1:]
    return f"…{first}"


def _line(segments: list[Segment], width: int, style: Style) -> Strip:
    return Strip(segments).adjust_cell_length(width, style)
