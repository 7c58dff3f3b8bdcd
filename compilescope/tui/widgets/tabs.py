"""One line that names the views and their keys."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

_BRIEF = {
    "Causes": "Cause",
    "Calls": "Call",
    "Frames": "Frm",
    "Breaks": "Brk",
    "Notes": "Note",
    "Compare": "Cmp",
    "Forecast": "Fore",
    "Trials": "Try",
}


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
        """The labels that fit: whole names, else brief ones, else keys without a name."""
        names = dict(self.names)
        others = [key for key in names if key != self.active]
        saved = {key: len(names[key]) - len(_brief(names[key])) for key in others}
        steps = [(key, _brief(names[key])) for key in sorted(others, key=lambda key: -saved[key])]
        steps += [(key, "") for key in reversed(others)]
        for key, name in steps:
            if sum(len(self._label(*view)) + 1 for view in names.items()) <= self.size.width + 1:
                break
            names[key] = name
        return {key: self._label(key, name) for key, name in names.items()}

    def _label(self, key: str, name: str) -> str:
        # Brackets, so that the active view is known without colour.
        text = f"{key} {name}".rstrip()
        return f"[{text}]" if key == self.active else text


def _brief(name: str) -> str:
    return _BRIEF.get(name, name)
