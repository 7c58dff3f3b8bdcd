"""One line that names the views and their keys."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

_SHORTEST = 3


class Tabs(Widget):
    """`1 Causes  2 Calls ...`; a click shows the view."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--active", "tabs--key"}

    class Picked(Message):
        """A view was clicked."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.names: dict[str, str] = {}
        self.active = ""

    def show(self, names: dict[str, str], active: str) -> None:
        """Name these views, by their keys."""
        self.names, self.active = names, active
        self.refresh()

    def on_click(self, event: Any) -> None:
        """Show the view under the mouse."""
        offset = event.get_content_offset(self)
        start = 0
        for key, text in self._shown().items():
            if offset is not None and start <= offset.x < start + len(text) + 1:
                self.post_message(self.Picked(key))
            start += len(text) + 1

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        active = self.get_component_rich_style("tabs--active", partial=True)
        strong = self.get_component_rich_style("tabs--key", partial=True)
        segments = []
        for key, text in self._shown().items():
            style = base + active if key == self.active else base
            head, tail = (text[:2], text[2:]) if key == self.active else (text[:1], text[1:])
            segments += [Segment(head, style + strong), Segment(tail, style), Segment(" ", base)]
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def _shown(self) -> dict[str, str]:
        names = dict(self.names)
        while True:
            found = {key: self._label(key, name) for key, name in names.items()}
            others = [key for key in names if key != self.active]
            longest = max(others, key=lambda key: len(names[key]), default="")
            fits = sum(len(text) + 1 for text in found.values()) <= self.size.width + 1
            if fits or len(names.get(longest, "")) <= _SHORTEST:
                return found
            names[longest] = names[longest][:-1]

    def _label(self, key: str, name: str) -> str:
        # Brackets, so that the active view is known without colour.
        return f"[{key} {name}]" if key == self.active else f"{key} {name}"
