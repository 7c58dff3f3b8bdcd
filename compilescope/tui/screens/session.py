"""One session: the verdict and the strip of calls on top, a view and its detail below."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Input, RichLog, Static

from compilescope.errors import CompilescopeError
from compilescope.tui.keys import bindings
from compilescope.tui.screens import acting, head
from compilescope.tui.screens.narrowing import Narrowing
from compilescope.tui.sources import Opened, open_session
from compilescope.tui.views import VIEWS
from compilescope.tui.views.comparison import summary
from compilescope.tui.views.index import Index
from compilescope.tui.views.table import Block
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid, columns_to_sort
from compilescope.tui.widgets.hints import Hints
from compilescope.tui.widgets.tabs import Tabs
from compilescope.tui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from compilescope.comparison import Comparison
    from compilescope.tui.live import Live
    from compilescope.tui.views.table import Table


@dataclass
class ViewState:
    """What the user did to a view."""

    filter: str = ""
    sort: int | None = None
    down: bool = False
    item: str = ""  # identity of the selected item
    row: int = 0  # its place in the table, a first guess after an update


class SessionScreen(acting.Acting, Screen[None]):
    """Shows one session; a live one again and again."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("session")
    AUTO_FOCUS = "#rows"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]

    def __init__(self, path: Path, *, live: Live | None = None) -> None:
        super().__init__()
        self.path = path
        self.live = live
        self.opened: Opened | None = None
        self.index: Index | None = None
        self.comparison: Comparison | None = None
        self.active = "1"
        self.states = {key: ViewState() for key in VIEWS}
        self.trail: list[tuple[str, str]] = []
        self.paused = False
        self._tables: dict[str, Table] = {}
        self._narrowing = Narrowing(self)

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        yield Static("", id="verdict", markup=False)
        yield Static("", id="recovery", classes="hidden", markup=False)
        yield Timeline(id="timeline")
        yield Tabs(id="tabs")
        with Container(id="body"):
            yield Grid(id="rows")
            yield Detail(id="detail")
            if self.live is not None:
                yield RichLog(
                    id="output", max_lines=5000, wrap=True, min_width=20, classes="hidden"
                )
        yield Static("", id="status", classes="hidden", markup=False)
        yield Input(
            placeholder="words  kind:size  file:model.py  fn:step  s>50ms  !warm",
            id="filter",
            classes="hidden",
            compact=True,
        )
        yield Hints("session", live=self.live is not None)

    def on_mount(self) -> None:
        self.query_one("#title", Static).update(f"compilescope  reading {self.path.name} …")
        self.app.theme_changed_signal.subscribe(self, lambda _: self.query_one(Detail).draw())
        if self.live is not None:
            self.live.begin(self)
        else:
            self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        try:
            opened = open_session(self.path)
        except CompilescopeError as error:
            self.app.call_from_thread(self.fail, error)
        else:
            # A collection that walks a hundred thousand calls again is felt as a key that hangs.
            gc.freeze()
            self.app.call_from_thread(self.show, opened)

    def fail(self, error: CompilescopeError) -> None:
        """Show why the session cannot be shown."""
        self.query_one("#title", Static).update(f"compilescope  {self.path.name}")
        self.query_one("#verdict", Static).update(f"✗ {error.message}")
        self.query_one(Timeline).display = False
        lines = [Block(f"cause: {error.cause}")] if error.cause else []
        lines += [Block(f"hint: {error.hint}", "good")] if error.hint else []
        self.query_one(Detail).show((*lines, Block("l lists other sessions, q quits", "dim")))
        self.query_one("#rows").display = False

    def show(self, opened: Opened) -> None:
        """Show a session, or a later state of it."""
        first = self.opened is None
        self.opened = opened
        series = self.index.number if self.index else 0
        self.index = Index(opened.diagnosis, series, self.comparison)
        self._tables.clear()
        if first and self.live is None:
            self.active = head.first_view(opened.diagnosis)
        self.query_one(Timeline).show(self.index)
        self.draw_head()
        self.draw()

    def draw_head(self) -> None:
        """Title, verdict and warnings."""
        if self.opened is None:
            return
        found = self.opened.diagnosis
        self.query_one("#title", Static).update(head.title(found, self.live, paused=self.paused))
        self.query_one("#verdict", Static).update(head.verdict(found))
        recovery = self.query_one("#recovery", Static)
        text, optional = head.second(found)
        recovery.update(text)
        recovery.set_class(not text, "hidden")
        recovery.set_class(optional, "optional")
        self.query_one(Timeline).display = bool(found.calls) or self.live is not None

    @property
    def table(self) -> Table | None:
        """The table of the view in front."""
        if self.index is None or self.active not in VIEWS:
            return None
        if self.active not in self._tables:
            self._tables[self.active] = VIEWS[self.active][1](self.index)
        return self._tables[self.active]

    @property
    def state(self) -> ViewState:
        """What the user did to the view in front."""
        return self.states.setdefault(self.active, ViewState())

    def draw(self) -> None:
        """Fill the list anew: another view, filter, order or state of the session."""
        names = {key: name for key, (name, _) in VIEWS.items()}
        if self.live is not None:
            names["p"] = "Out"
        self.query_one(Tabs).show(names, self.active)
        output = self.active == "p"
        self.set_class(output, "-output")
        if self.live is not None:
            self.query_one("#output").set_class(not output, "hidden")
        if self.table is not None:
            self._narrowing.start(self.table, self.state)

    def fill(self, rows: Sequence[int]) -> None:
        """Show these rows of the table in front."""
        table, state = self.table, self.state
        if table is None:
            return
        keep = _place_of(table, state)
        self.query_one(Grid).show(table, rows, keep=keep, order=(state.sort, state.down))
        status = self.query_one("#status", Static)
        typing = not self.query_one("#filter").has_class("hidden")
        status.set_class(typing or not state.filter, "hidden")
        status.update(f"/ {state.filter}   {len(rows):,} of {len(table.items):,}   esc clears")
        self.draw_detail()

    def draw_detail(self) -> None:
        """Show what is known of the selected row."""
        item, table = self.query_one(Grid).item, self.table
        if table is None:
            return
        if item is None:
            blocks = (*summary(self.index),) if self.active == "8" and self.index else ()
            self.query_one(Detail).show(blocks)
            return
        self.query_one(Detail).show(table.document(item))
        calls = table.calls(item)
        timeline = self.query_one(Timeline)
        timeline.highlighted = frozenset(calls)
        if calls and timeline.call not in timeline.highlighted:
            timeline.select(calls[0])
        timeline.refresh()

    def on_grid_moved(self) -> None:
        grid, table = self.query_one(Grid), self.table
        if table is None or grid.table is not table:
            return
        if grid.item is not None:
            self.state.item = table.identity(grid.item)
            self.state.row = grid.rows[grid.cursor]
        self.draw_detail()

    def on_grid_entered(self) -> None:
        grid, table = self.query_one(Grid), self.table
        target = table.into(grid.item) if table is not None and grid.item is not None else None
        if target is None:
            self.query_one(Detail).focus()
            return
        view, text = target
        self.trail.append((self.active, self.states[view].filter))
        self.states[view].filter = text
        self.active = view
        self.draw()

    def on_grid_sorted(self, message: Grid.Sorted) -> None:
        if self.state.sort == message.column:
            self.action_reverse()
        else:
            self.sort_by(message.column)

    def on_tabs_picked(self, message: Tabs.Picked) -> None:
        self.action_view(message.view)

    def on_timeline_picked(self, message: Timeline.Picked) -> None:
        self.go_to_call(message.call)

    def action_view(self, view: str) -> None:
        self.trail.clear()
        self.active = view
        self.draw()
        if view != "p":
            self.query_one(Grid).focus()

    def action_back(self) -> None:
        field = self.query_one("#filter", Input)
        if field.has_focus:
            self.close_filter(field)
            self.state.filter = ""
            self.draw()
        elif self.trail:
            view, text = self.trail.pop()
            self.state.filter = text
            self.active = view
            self.draw()
        elif self.state.filter:
            self.state.filter = ""
            self.draw()
        elif self.query_one(Detail).has_focus:
            self.query_one(Grid).focus()
        elif self.has_class("-zoom-rows") or self.has_class("-zoom-detail"):
            self.remove_class("-zoom-rows", "-zoom-detail")

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.value = self.state.filter
        field.remove_class("hidden")
        self.query_one("#status").add_class("hidden")
        field.focus()

    def close_filter(self, field: Input) -> None:
        """Give the line of the filter back."""
        field.add_class("hidden")
        self.query_one(Grid).focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        if message.input.has_focus and self.state.filter != message.value:
            self.state.filter = message.value
            if self.table is not None:
                self._narrowing.start(self.table, self.state)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.close_filter(message.input)
        self.draw()

    def action_sort(self) -> None:
        if self.table is None:
            return
        columns = [None, *columns_to_sort(self.table.columns)]
        at = columns.index(self.state.sort)
        self.sort_by(columns[(at + 1) % len(columns)])

    def sort_by(self, column: int | None) -> None:
        """Order the rows by a column, from the side where its larger problems are."""
        self.state.sort = column
        self.state.down = (
            column is not None and self.table is not None and self.table.columns[column].down
        )
        self.draw()

    def action_reverse(self) -> None:
        self.state.down = not self.state.down
        self.draw()

    def action_spike(self, step: int) -> None:
        series = self.index.series if self.index else None
        if series is None or not series.compiled:
            self.notify("no call of this callable compiled anything")
            return
        now = self.query_one(Timeline).call
        ahead = [call for call in series.compiled if (call - now) * step > 0]
        if not ahead:
            self.notify(f"no {'later' if step > 0 else 'earlier'} call compiled anything")
            return
        self.go_to_call(min(ahead) if step > 0 else max(ahead))

    def go_to_call(self, call: int) -> None:
        """Select a call: itself in its view, its cause in that of causes."""
        assert self.index is not None
        timeline, grid, table = self.query_one(Timeline), self.query_one(Grid), self.table
        timeline.select(call)
        if table is None:
            return
        if self.active == "2":
            if not grid.select(call):
                self.notify(f"the filter hides call {call:,}")
        elif self.active in {"1", "5"}:
            number = next(
                (at for at, item in enumerate(table.items) if call in table.calls(item)), None
            )
            if number is not None:
                grid.select(number)

    def action_pause(self) -> None:
        self.paused = not self.paused
        self.draw_head()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of a live session exist only there."""
        if action == "pause" or (action == "view" and parameters == ("p",)):
            return self.live is not None
        return super().check_action(action, parameters)

    def action_series(self, step: int) -> None:
        if self.index is None or len(self.index.diagnosis.calls) < 2:
            self.notify("there is one callable only")
            return
        number = (self.index.number + step) % len(self.index.diagnosis.calls)
        self.index = Index(self.index.diagnosis, number, self.comparison)
        self._tables.clear()
        self.query_one(Timeline).show(self.index)
        self.draw()

    def show_comparison(self, comparison: Comparison) -> None:
        """Show this run beside another."""
        assert self.index is not None
        self.comparison = comparison
        self.index = Index(self.index.diagnosis, self.index.number, comparison)
        self._tables.clear()
        self.action_view("8")

    def action_pane(self) -> None:
        grid, detail = self.query_one(Grid), self.query_one(Detail)
        if self.has_class("-zoom-rows") or self.has_class("-zoom-detail"):
            self.action_zoom()
        (grid if detail.has_focus else detail).focus()

    def action_zoom(self) -> None:
        zoomed = self.has_class("-zoom-rows") or self.has_class("-zoom-detail")
        self.remove_class("-zoom-rows", "-zoom-detail")
        if not zoomed:
            focused = self.query_one(Detail).has_focus
            self.add_class("-zoom-detail" if focused else "-zoom-rows")


def _place_of(table: Table, state: ViewState) -> int | None:
    """Where the item that was selected is now."""
    items: Sequence[Any] = table.items
    if not state.item:
        return None
    if state.row < len(items) and table.identity(items[state.row]) == state.item:
        return state.row
    return next((at for at, item in enumerate(items) if table.identity(item) == state.item), None)
