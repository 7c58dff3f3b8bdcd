"""A question with a few answers, each a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from compilescope.tui.views.words import printable

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Key


class Ask(ModalScreen[str]):
    """Gives the key of the answer; "" where the user wants none of them."""

    def __init__(self, title: str, text: str, answers: Mapping[str, str]) -> None:
        """Ask.

        Args:
            title: what it is about, in a few words.
            text: what the user has to know before.
            answers: what each key means; that of esc says what happens without an answer.
        """
        super().__init__()
        self.heading, self.text, self.answers = title, text, dict(answers)

    def compose(self) -> ComposeResult:
        wide = max(map(len, self.answers))
        lines = [f"{key:<{wide}}  {meaning}" for key, meaning in self.answers.items()]
        with Vertical(id="ask") as box:
            box.border_title = self.heading
            if self.text:
                yield Static(printable(self.text) + "\n", markup=False)
            yield Static("\n".join(lines), markup=False)

    def on_key(self, event: Key) -> None:
        """Take an answer; every other key does nothing here."""
        event.stop()
        if event.key == "escape":
            self.dismiss("")
        elif event.key in self.answers:
            self.dismiss(event.key)
