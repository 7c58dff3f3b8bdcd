"""The document beside the list: source with carets, why, fix, proof, events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.strip import Strip

from compilescope.tui.keys import bindings
from compilescope.tui.views.words import printable
from compilescope.tui.widgets.styled import Pane

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Resize

    from compilescope.tui.views.table import Block, Document, Excerpt

_INDENT = 1


class Detail(Pane):
    """Shows one document and scrolls it; its lines are made once, not laid out by the screen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    PARTS = "detail"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"detail--{name}"
        for name in ("strong", "heading", "bad", "warn", "good", "dim", "code", "caret", "here")
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.document: Document = ()
        self._drawn: list[Strip] = []

    @property
    def text(self) -> str:
        """What is shown, as plain lines."""
        return "\n".join(strip.text.rstrip() for strip in self._drawn)

    def show(self, document: Document) -> None:
        """Replace the document and go back to its top."""
        if document == self.document:
            return
        self.document = document
        self.draw()
        self.scroll_to(y=0, animate=False, force=True)

    def draw(self) -> None:
        """Draw the document again, in the width of the pane and the colours of the theme."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        console = self.app.console
        options = console.options.update(width=width, height=None, highlight=False, markup=False)
        lines = console.render_lines(
            Group(*self._lines(self.document)), options, style=self.base, pad=False
        )
        self._drawn = [Strip(line) for line in lines]
        self.extend(Size(width, len(self._drawn)))
        self.refresh()

    def on_resize(self, _event: Resize) -> None:
        self.draw()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        row = y + int(self.scroll_offset.y)
        if row >= len(self._drawn):
            return Strip.blank(width, self.base)
        return self._drawn[row].adjust_cell_length(width, self.base)

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

    def _lines(self, document: Document) -> Iterable[RenderableType]:
        for block in document:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterable[RenderableType]:
        if block.excerpt is not None:
            yield from self._excerpt(block.excerpt)
            return
        if block.heading:
            yield Text("")
            yield Text(f" {printable(block.text)}", self.part("heading"))
            return
        style = self.part(block.tone) if block.tone else Style()
        lines = "\n".join(printable(line) for line in block.text.split("\n"))
        text = Text(lines, style) if block.code else self._prose(lines, style)
        yield Padding(text, (0, 1, 0, _INDENT + block.indent), expand=False)

    def _prose(self, text: str, style: Style) -> Text:
        """Prose whose `code` is coloured; backticks stay where there is no colour."""
        if self.app.no_color:
            return Text(text, style)
        found = Text(style=style)
        for number, part in enumerate(text.split("`")):
            found.append(part, self.part("code") if number % 2 else None)
        return found

    def _excerpt(self, excerpt: Excerpt) -> Iterable[RenderableType]:
        digits = len(str(excerpt.lines[-1][0]))
        for number, text in excerpt.lines:
            here = number == excerpt.here
            line = Text(no_wrap=True, overflow="ellipsis")
            line.append(f" {'›' if here else ' '}{number:>{digits}} │ ", self.part("dim"))
            line.append(printable(text), self.part("here") if here else None)
            yield line
            start, length = excerpt.caret
            if here and length:
                blank = f"  {'':>{digits}} │ {' ' * start}"
                carets = Text(no_wrap=True, overflow="crop")
                carets.append(blank, self.part("dim"))
                carets.append("^" * length, self.part("caret"))
                yield carets
