"""What the panes have in common: styles looked up once, an extent that lays nothing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.scroll_view import ScrollView
from textual.widget import Widget

if TYPE_CHECKING:
    from rich.style import Style
    from textual.geometry import Size


class Styled(Widget):
    """Keeps the styles that it draws its lines with until they change."""

    PARTS: ClassVar[str]  # what its component classes begin with

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._known: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        self._known.clear()
        super().notify_style_update()

    @property
    def base(self) -> Style:
        """The style of the widget itself."""
        found = self._known.get("")
        if found is None:
            found = self._known[""] = self.rich_style
        return found

    def part(self, name: str) -> Style:
        """The style of one of its parts, to be laid over another."""
        found = self._known.get(name)
        if found is None:
            part = f"{self.PARTS}--{name}"
            found = self._known[name] = self.get_component_rich_style(part, partial=True)
        return found


class Pane(Styled, ScrollView, can_focus=True):
    """Lines of any number; its scroll bar is always there, so that their number moves nothing."""

    def extend(self, size: Size) -> None:
        """Say how large all that can be scrolled to is.

        Setting `virtual_size` itself would lay out the whole screen again.
        """
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height
