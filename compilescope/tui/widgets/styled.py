"""What the panes have in common: styles looked up once, an extent that lays nothing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.events import MouseDown, MouseEvent, MouseMove


class Styled(Widget):
    """Keeps the styles that it draws its lines with until they change."""

    PARTS: ClassVar[str]  # what its component classes begin with

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._known: dict[str, Style] = {}
        self._laid: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        self._known.clear()
        self._laid.clear()
        super().notify_style_update()

    @property
    def base(self) -> Style:
        """The style of the widget itself."""
        found = self._known.get("")
        if found is None:
            found = self._known[""] = self.rich_style
        return found

    def part(self, name: str) -> Style:
        """The style of one of its parts, to be laid over another."""
        found = self._known.get(name)
        if found is None:
            part = f"{self.PARTS}--{name}"
            found = self._known[name] = self.get_component_rich_style(part, partial=True)
        return found

    def laid(self, *names: str) -> Style:
        """The styles of these parts over that of the widget itself."""
        key = " ".join(names)
        found = self._laid.get(key)
        if found is None:
            parts = (self.part(name) for name in names if name)
            found = self._laid[key] = Style.combine((self.base, *parts))
        return found


class Pane(Styled, ScrollView, can_focus=True):
    """Lines of any number, and a bar that says which of them are seen.

    The bar is the last column of the lines: a widget of its own would have the screen laid out
    once more whenever a size changes.
    """

    def line(self, y: int) -> Strip:
        """The line at `y` of what is seen, in the width of `room`."""
        raise NotImplementedError

    @property
    def room(self) -> int:
        """Columns of a line, without the bar."""
        return max(0, self.size.width - 1)

    @property
    def fixed(self) -> int:
        """Lines at the top that do not scroll."""
        return 0

    def extend(self, lines: int) -> None:
        """Say how many lines there are; setting `virtual_size` would lay out the whole screen."""
        size = Size(self.size.width, lines)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)

    def render_line(self, y: int) -> Strip:
        strip = self.line(y)
        if y < self.fixed:
            return strip.adjust_cell_length(self.size.width, self.base)
        return Strip([*strip, self._bar(y - self.fixed)], self.size.width)

    def _bar(self, y: int) -> Segment:
        seen, lines = self.size.height - self.fixed, self.virtual_size.height - self.fixed
        if lines > seen > 0:
            length = max(1, seen * seen // lines)
            first = round((seen - length) * self.scroll_offset.y / max(1, self.max_scroll_y))
            if first <= y < first + length:
                return Segment("▐", self.laid("bar"))
        return Segment(" ", self.base)

    def on_mouse_down(self, event: MouseDown) -> None:
        """Take hold of the bar."""
        if event.x >= self.outer_size.width - 1:
            self.capture_mouse()
            self._drag(event)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Scroll with the bar."""
        if self.app.mouse_captured is self:
            self._drag(event)

    def on_mouse_up(self) -> None:
        """Let the bar go."""
        if self.app.mouse_captured is self:
            self.release_mouse()

    def _drag(self, event: MouseEvent) -> None:
        top = self.outer_size.height - self.size.height + self.fixed
        share = (event.y - top) / max(1, self.size.height - self.fixed - 1)
        self.scroll_to(y=round(share * self.max_scroll_y), animate=False, force=True)


class Row(Styled):
    """One line of text, which may change without the screen being laid out anew."""

    PARTS = "row"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.text = ""

    def show(self, text: str) -> None:
        """Show another text."""
        if text != self.text:
            self.text = text
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        text = (
            self.text if cell_len(self.text) <= width else set_cell_size(self.text, width - 1) + "…"
        )
        return Strip([Segment(text, self.base)]).adjust_cell_length(width, self.base)
