"""What becomes of the program when the user leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from compilescope.tui.live import Live


class LeaveScreen(ModalScreen[None]):
    """Asks whether to leave the program running."""

    BINDINGS: ClassVar = [
        ("k,enter", "keep", "keep it running"),
        ("s", "stop", "stop it"),
        ("escape", "dismiss", "stay"),
    ]

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live

    def compose(self) -> ComposeResult:
        with Vertical(id="leave") as box:
            box.border_title = "the program is still running"
            yield Static(
                "k    leave it running; its session is saved when it ends\n"
                "s    stop it (SIGINT) and save what was recorded\n"
                "esc  stay here"
            )

    def action_keep(self) -> None:
        self.live.kept = True
        self.app.exit()

    def action_stop(self) -> None:
        self.live.stop()
        self.app.exit()
