"""The keys that mean something where the user is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.table import Table
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from compilescope.tui.keys import Place, keys_of

if TYPE_CHECKING:
    from textual.app import ComposeResult

_FILTER = (
    "Filter: words match anywhere; `rule:` `kind:` `file:` `fn:` `cause:` `phase:` one field; "
    "`n>3` times; `s>50ms` seconds; `call>100`; `!` in front means not."
)
_MARKS = "Marks: A, B, … causes   ▴ compile   ! eager   / graph break   ✗ error"


class HelpScreen(ModalScreen[None]):
    """Lists keys; any of esc, q, ? and enter closes it."""

    BINDINGS: ClassVar = [("escape,q,question_mark,enter", "dismiss", "close")]

    def __init__(self, place: Place, *, live: bool) -> None:
        super().__init__()
        self.keys = keys_of(place, "pane", live=live)

    def compose(self) -> ComposeResult:
        table = Table.grid(padding=(0, 2))
        wide = self.app.size.width >= 100
        cells = [(key.shown, key.text) for key in self.keys]
        half = (len(cells) + 1) // 2 if wide else len(cells)
        for number in range(half):
            other = cells[half + number] if half + number < len(cells) else ("", "")
            table.add_row(*cells[number], *(other if wide else ()))
        with VerticalScroll(id="help") as box:
            box.border_title = "keys"
            box.border_subtitle = "esc closes"
            yield Static(table)
            yield Static(f"\n{_MARKS}\n{_FILTER.replace('`', '')}", markup=False)
