"""The document beside the list: source with carets, why, fix, proof, events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

from compilescope.tui.keys import bindings
from compilescope.tui.views.words import printable

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from compilescope.tui.views.table import Block, Document, Excerpt

_INDENT = 1


class Detail(VerticalScroll, can_focus=True):
    """Shows one document and scrolls it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"detail--{name}"
        for name in ("strong", "heading", "bad", "warn", "good", "dim", "code", "caret", "here")
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.document: Document = ()

    def compose(self) -> ComposeResult:
        yield Static(id="document")

    def show(self, document: Document) -> None:
        """Replace the document and go back to its top."""
        if document == self.document:
            return
        self.document = document
        self.draw()
        self.scroll_home(animate=False)

    def draw(self) -> None:
        """Draw the document again, in the colours of the theme."""
        self.query_one("#document", Static).update(Group(*self._lines(self.document)))

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
            yield Text(printable(block.text), self._style("heading"))
            return
        style = self._style(block.tone) if block.tone else Style()
        room = (0, 0, 0, block.indent + (_INDENT if block.indent == 0 else 0))
        lines = [printable(line) for line in block.text.split("\n")]
        text = Text("\n".join(lines), style) if block.code else self._prose("\n".join(lines), style)
        yield Padding(text, room, expand=False)

    def _prose(self, text: str, style: Style) -> Text:
        """Prose whose `code` is coloured; backticks stay where there is no colour."""
        if self.app.no_color:
            return Text(text, style)
        found = Text(style=style)
        for number, part in enumerate(text.split("`")):
            found.append(part, self._style("code") if number % 2 else None)
        return found

    def _excerpt(self, excerpt: Excerpt) -> Iterable[RenderableType]:
        digits = len(str(excerpt.lines[-1][0]))
        for number, text in excerpt.lines:
            here = number == excerpt.here
            line = Text(
                f" {'›' if here else ' '}{number:>{digits}} │ ", self._style("dim"), no_wrap=True
            )
            line.append(printable(text), self._style("here") if here else None)
            line.overflow = "ellipsis"
            yield line
            start, length = excerpt.caret
            if here and length:
                blank = f"  {'':>{digits}} │ {' ' * start}"
                carets = Text(blank, self._style("dim"), no_wrap=True)
                carets.append("^" * length, self._style("caret"))
                yield carets

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"detail--{name}", partial=True)
