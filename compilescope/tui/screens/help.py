"""The keys that mean something where the user is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.screen import ModalScreen

from compilescope.tui.keys import Key, Place, keys_of
from compilescope.tui.views.table import Block
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.geometry import Size

    from compilescope.tui.views.table import Document

_FILTER = (
    "Filter: words match anywhere; `rule:` `kind:` `file:` `fn:` `cause:` `phase:` one field; "
    "`n>3` times; `s>50ms` seconds; `call>100`; `!` in front means not."
)
_MARKS = "Marks: A, B, … causes   ▴ compile   ! eager   / graph break   ✗ error"
_WORDS = (Block(), Block(_MARKS), Block(_FILTER))


class HelpScreen(ModalScreen[None]):
    """Lists keys; any of esc, q, ? and enter closes it."""

    BINDINGS: ClassVar = [("escape,q,question_mark,enter", "dismiss", "close")]

    def __init__(self, place: Place, *, live: bool) -> None:
        super().__init__()
        self.keys = keys_of(place, "pane", live=live)

    def compose(self) -> ComposeResult:
        wide = self.app.size.width >= 100
        box = Page((*_table(self.keys, wide=wide), *_WORDS), id="help")
        box.border_title = "keys"
        box.border_subtitle = "esc closes"
        yield box


class Page(Detail):
    """A pane as high as what it shows; enter is for the screen."""

    def __init__(self, document: Document, **options: Any) -> None:
        super().__init__(**options)
        self.document = document

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(lines_of(self.document, width - 1, ticks=True))

    def action_enter(self) -> None:
        self.screen.dismiss()


def _table(keys: list[Key], *, wide: bool) -> Iterable[Block]:
    cells = [(key.shown, key.text) for key in keys]
    half = (len(cells) + 1) // 2 if wide else len(cells)
    key, text = max(len(key) for key, _ in cells), max(len(text) for _, text in cells)
    for number in range(half):
        line = "  ".join(
            f"{name:<{key}}  {meaning:<{text}}" for name, meaning in cells[number::half]
        )
        yield Block(line.rstrip(), code=True)
