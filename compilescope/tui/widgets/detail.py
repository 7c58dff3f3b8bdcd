"""The document beside the list: source with carets, why, fix, proof, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.strip import Strip

from compilescope.tui.keys import bindings
from compilescope.tui.widgets.lines import lines_of
from compilescope.tui.widgets.styled import Pane

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Resize

    from compilescope.tui.views.table import Document
    from compilescope.tui.widgets.lines import Line


class Detail(Pane):
    """Shows one document and scrolls it; a line gets its colours when it is first seen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    PARTS = "detail"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"detail--{name}" for name in "strong heading bad warn good dim code caret here bar".split()
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.document: Document = ()
        self._lines: list[Line] = []
        self._drawn: dict[int, Strip] = {}
        self._width = 0

    @property
    def text(self) -> str:
        """What is shown, as plain lines."""
        return "\n".join("".join(span.text for span in line).rstrip() for line in self._lines)

    def show(self, document: Document) -> None:
        """Replace the document and go back to its top."""
        if document == self.document:
            return
        self.document = document
        self.draw()
        self.scroll_to(y=0, animate=False, force=True)

    def draw(self) -> None:
        """Draw the document again, in the width of the pane and the colours of the theme."""
        self._width = self.room
        self._drawn = {}
        if self._width <= 0:
            return
        self._lines = lines_of(self.document, self._width, ticks=self.app.no_color)
        self.extend(len(self._lines))
        self.refresh()

    def on_resize(self, _event: Resize) -> None:
        if self.room != self._width:
            self.draw()

    def line(self, y: int) -> Strip:
        row = y + int(self.scroll_offset.y)
        found = self._drawn.get(row)
        if found is None:
            found = self._drawn[row] = self._strip(row)
        return found

    def _strip(self, row: int) -> Strip:
        width = self.room
        if row >= len(self._lines):
            return Strip.blank(width, self.base)
        segments = [
            Segment(span.text, self.laid(span.part, "code") if span.code else self.laid(span.part))
            for span in self._lines[row]
        ]
        return Strip(segments).adjust_cell_length(width, self.base)

    def action_down(self) -> None:
        self.scroll_down(animate=False)

    def action_up(self) -> None:
        self.scroll_up(animate=False)

    def action_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def action_first(self) -> None:
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        self.scroll_end(animate=False)

    def action_enter(self) -> None:
        self.screen.focus_next()
