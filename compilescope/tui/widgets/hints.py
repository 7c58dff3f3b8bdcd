"""The last line: the keys that matter most here; a click does what the key does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from compilescope.tui.keys import Key, Place, keys_of

if TYPE_CHECKING:
    from textual.events import Click

_GAP = 2


class Hints(Widget):
    """As many keys as fit; the last two, help and quit, always do.

    Textual's own footer is built anew at each change of focus, which takes longer than a key may.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--key"}

    def __init__(self, place: Place, *, live: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._said = ""
        keys = [key for key in keys_of(place, "pane", live=live) if key.label]
        # What only a running program has comes first: it is not looked for elsewhere.
        self._keys = sorted(keys, key=lambda key: not key.live)

    def say(self, text: str) -> None:
        """Show this instead of the keys; "" shows them again."""
        if text != self._said:
            self._said = text
            self.refresh()

    def on_click(self, event: Click) -> None:
        """Press the key under the mouse."""
        offset = event.get_content_offset(self)
        start = 0
        for key in self.shown():
            width = len(_text(key)) + _GAP
            if offset is not None and start <= offset.x < start + width:
                self.app.simulate_key(key.keys.split(",")[0])
            start += width

    def shown(self) -> list[Key]:
        """The keys that fit."""
        if self._said:
            return []
        kept = list(self._keys)
        while len(kept) > 2 and sum(len(_text(key)) + _GAP for key in kept) > self.size.width + 1:
            del kept[-3]
        return kept

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        strong = base + self.get_component_rich_style("hints--key", partial=True)
        segments = [Segment(self._said, base)] if self._said else []
        for key in self.shown():
            name, label = _text(key).split(" ", 1)
            segments += [Segment(name, strong), Segment(f" {label}{' ' * _GAP}", base)]
        return Strip(segments).adjust_cell_length(self.size.width, base)


def _text(key: Key) -> str:
    return f"{key.shown.split(' ')[0]} {key.label}"
