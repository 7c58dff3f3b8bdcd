"""A change of the source, shown before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.screen import ModalScreen

from compilescope.tui.views.table import Block
from compilescope.tui.views.trials import diff_blocks
from compilescope.tui.widgets.detail import Detail

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from compilescope.tui.fixes import Fix


class FixScreen(ModalScreen[bool]):
    """Gives whether the change is to be made."""

    AUTO_FOCUS = "#diff"
    BINDINGS: ClassVar = [
        ("enter", "dismiss(True)", "write it"),
        ("y", "copy", "copy it"),
        ("escape,q,f", "dismiss(False)", "leave everything as it is"),
    ]

    def __init__(self, fix: Fix) -> None:
        super().__init__()
        self.fix = fix

    def compose(self) -> ComposeResult:
        with Vertical(id="fix") as box:
            box.border_title = "change the source?"
            box.border_subtitle = "enter writes it · y copies it · esc leaves all as it is"
            yield Diff(id="diff")

    def on_mount(self) -> None:
        notes = [Block(note, "warn" if self.fix.doubt else "good") for note in self.fix.notes]
        head = [Block(self.fix.title, "strong"), *notes, Block("")]
        self.query_one(Diff).show((*head, *diff_blocks(self.fix.diff())))

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.fix.diff())
        self.notify("copied the change")


class Diff(Detail):
    """The pane of the diff: enter is for the screen."""

    def action_enter(self) -> None:
        screen = self.screen
        assert isinstance(screen, FixScreen)
        screen.dismiss(True)
