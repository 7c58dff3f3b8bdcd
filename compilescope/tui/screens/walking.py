"""What keys and mouse do inside a session's screen: views, rows, filter, order, panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.message_pump import MessagePump
from textual.widgets import Input

from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid
from compilescope.tui.widgets.tabs import Tabs
from compilescope.tui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from compilescope.tui.screens.session import SessionScreen


class Walking(MessagePump):
    """The actions of a session's screen that change only what is looked at."""

    def on_grid_moved(self) -> None:
        screen = _screen(self)
        grid = screen.query_one(Grid)
        if screen.at.table is None or grid.table is not screen.at.table:
            return
        if grid.item is not None:
            screen.at.select(grid.item, grid.rows[grid.cursor])
        screen.draw_detail()

    def on_grid_entered(self) -> None:
        screen = _screen(self)
        item = screen.query_one(Grid).item
        if item is not None and screen.at.enter(item):
            screen.draw()
        else:
            screen.query_one(Detail).focus()

    def on_grid_sorted(self, message: Grid.Sorted) -> None:
        screen = _screen(self)
        screen.at.sort_by(message.column)
        screen.draw()

    def on_tabs_picked(self, message: Tabs.Picked) -> None:
        self.action_view(message.view)

    def on_timeline_picked(self, message: Timeline.Picked) -> None:
        self.go_to_call(message.call)

    def action_view(self, view: str) -> None:
        screen = _screen(self)
        screen.at.visit(view)
        screen.draw()
        if view != "p":
            screen.query_one(Grid).focus()

    def action_back(self) -> None:
        screen = _screen(self)
        field = screen.query_one("#filter", Input)
        if not field.has_class("hidden"):
            self._close_filter(field)
            screen.at.state.filter = ""
            screen.draw()
        elif screen.at.leave():
            screen.draw()
        elif screen.query_one(Detail).has_focus:
            screen.query_one(Grid).focus()
        elif screen.zoomed:
            self.action_zoom()

    def action_filter(self) -> None:
        screen = _screen(self)
        field = screen.query_one("#filter", Input)
        field.value = screen.at.state.filter
        field.remove_class("hidden")
        screen.query_one("#status").add_class("hidden")
        field.focus()
        screen.narrow()

    def _close_filter(self, field: Input) -> None:
        field.add_class("hidden")
        _screen(self).query_one(Grid).focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        screen = _screen(self)
        if message.input.has_focus and screen.at.state.filter != message.value:
            screen.at.state.filter = message.value
            screen.narrow()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self._close_filter(message.input)
        _screen(self).draw()

    def action_sort(self) -> None:
        screen = _screen(self)
        screen.at.sort_next()
        screen.draw()

    def action_reverse(self) -> None:
        screen = _screen(self)
        screen.at.reverse()
        screen.draw()

    def action_spike(self, step: int) -> None:
        screen = _screen(self)
        call = screen.at.spike(screen.query_one(Timeline).call, step)
        if isinstance(call, str):
            screen.notify(call)
        else:
            self.go_to_call(call)

    def go_to_call(self, call: int) -> None:
        """Select a call: itself in its view, its cause in that of causes."""
        screen = _screen(self)
        screen.query_one(Timeline).select(call)
        row = screen.at.row_of(call)
        if row is not None and not screen.query_one(Grid).select(row) and screen.at.active == "2":
            screen.notify(f"the filter hides call {call:,}")

    def action_series(self, step: int) -> None:
        screen = _screen(self)
        if screen.at.turn(step):
            screen.draw_series()
        else:
            screen.notify("there is one callable only")

    def action_pause(self) -> None:
        screen = _screen(self)
        screen.paused = not screen.paused
        screen.draw_head()

    def action_pane(self) -> None:
        screen = _screen(self)
        grid, detail = screen.query_one(Grid), screen.query_one(Detail)
        if screen.zoomed:
            self.action_zoom()
        (grid if detail.has_focus else detail).focus()

    def action_zoom(self) -> None:
        screen = _screen(self)
        focused = "detail" if screen.query_one(Detail).has_focus else "rows"
        screen.zoomed = "" if screen.zoomed else focused
        screen.give_room()


def _screen(walking: Walking) -> SessionScreen:
    return cast("SessionScreen", walking)
