"""One session: the verdict and the strip of calls on top, a view and its detail below."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Container
from textual.geometry import Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widgets import Input, RichLog, Static

from compilescope.errors import CompilescopeError
from compilescope.tui.browsing import Browsing
from compilescope.tui.keys import bindings
from compilescope.tui.screens import acting, head, remedying, walking
from compilescope.tui.screens.narrowing import Narrowing, prepare
from compilescope.tui.sources import Opened, open_session
from compilescope.tui.tried import of_result
from compilescope.tui.views import named
from compilescope.tui.views.comparison import summary
from compilescope.tui.views.table import Block
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid
from compilescope.tui.widgets.hints import Hints
from compilescope.tui.widgets.styled import Row
from compilescope.tui.widgets.tabs import Tabs
from compilescope.tui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from compilescope.comparison import Comparison
    from compilescope.tui.live import Live


class Body(Container):
    """The panes; its size has the screen laid out once, not twice."""

    virtual_size = Reactive(Size(0, 0))


class SessionScreen(walking.Walking, acting.Acting, remedying.Remedying, Screen[None]):
    """Shows one session; a live one again and again."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("session")
    AUTO_FOCUS = "#rows"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)  # the panes show it

    def __init__(self, path: Path, *, live: Live | None = None) -> None:
        super().__init__()
        self.path = path
        self.live = live
        self.at = Browsing()
        self.paused = False
        self.zoomed = ""  # "rows" or "detail": the pane that fills the screen
        self._narrowing = Narrowing(self)

    def compose(self) -> ComposeResult:
        yield Row(id="title")
        with Container(id="head"):
            yield Static("", id="verdict", markup=False)
            yield Static("", id="recovery", classes="hidden", markup=False)
        yield Timeline(id="timeline")
        yield Tabs(id="tabs")
        with Body(id="body"):
            yield Grid(id="rows")
            yield Detail(id="detail")
            if self.live is not None:
                yield RichLog(id="output", max_lines=5000, wrap=True, min_width=20)
        yield Row(id="status", classes="hidden")
        yield Input(
            placeholder="words  kind:size  file:model.py  fn:step  s>50ms  !warm",
            id="filter",
            classes="hidden",
            compact=True,
        )
        yield Hints("session", live=self.live is not None)

    def on_mount(self) -> None:
        self.query_one("#title", Row).show(f"compilescope  reading {self.path.name} …")
        self.app.theme_changed_signal.subscribe(self, lambda _: self.query_one(Detail).draw())
        self.set_interval(0.3, self.look_at_trials)
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
        self.query_one("#title", Row).show(f"compilescope  {self.path.name}")
        self.query_one("#verdict", Static).update(f"✗ {error.message}")
        self.query_one(Timeline).display = False
        lines = [Block(f"cause: {error.cause}")] if error.cause else []
        lines += [Block(f"hint: {error.hint}", "good")] if error.hint else []
        self.query_one(Detail).show(tuple(lines))
        self.query_one("#rows").display = False
        self.query_one(Hints).say("l list  q quit")  # the other keys are for a session

    def show(self, opened: Opened) -> None:
        """Show a session, or a later state of it."""
        if self.at.opened is None and self.live is None:
            self.at.active = head.first_view(opened.diagnosis)
        self.at.take(opened)
        if opened.tuning is not None and self.at.tried is None:
            self.at.take_trials(of_result(opened.tuning))
        self.draw_head()
        self.draw_series()
        calls = self.at.table_of("2")
        if self.live is None and calls is not None:
            self.run_worker(
                lambda: prepare(calls), thread=True, group="prepare", exit_on_error=False
            )

    def show_comparison(self, comparison: Comparison) -> None:
        """Show this run beside another."""
        self.at.compare(comparison)
        self.action_view("8")

    def draw_head(self) -> None:
        """Title, verdict and warnings."""
        if self.at.opened is None:
            return
        found = self.at.opened.diagnosis
        running = self.live is not None and self.live.is_running()
        self.query_one("#title", Row).show(head.title(found, self.live, paused=self.paused))
        self.query_one("#verdict", Static).update(head.verdict(found, running=running))
        recovery = self.query_one("#recovery", Static)
        text, optional = head.second(found, running=running)
        recovery.update(text)
        recovery.set_class(not text, "hidden")
        recovery.set_class(optional, "optional")
        self.give_room()

    def give_room(self) -> None:
        """Give the room to the panes that are wanted now."""
        found = self.at.opened.diagnosis if self.at.opened is not None else None
        printing = self.at.active == "p"
        # Of the panes themselves: a class of the screen would have every widget styled anew.
        self.query_one("#head").display = not self.zoomed
        self.query_one(Timeline).display = self.zoomed != "detail" and (
            bool(found and found.calls) or self.live is not None
        )
        self.query_one(Grid).display = self.zoomed != "detail" and not printing
        self.query_one(Detail).display = self.zoomed != "rows" and not printing
        if self.live is not None:
            self.query_one(RichLog).display = printing

    def draw_series(self) -> None:
        """Fill the strip of calls and the list anew."""
        self._narrowing.forget()
        if self.at.index is not None:
            self.query_one(Timeline).show(self.at.index)
        self.draw()

    def draw(self) -> None:
        """Fill the list anew: another view, filter, order or state of the session."""
        names = named(self.at.index, self.at.active)
        if self.live is not None:
            names["p"] = "Out"
        self.query_one(Tabs).show(names, self.at.active)
        self.give_room()
        self.narrow()

    def narrow(self) -> None:
        """Fill the list with the rows that the filter lets through."""
        if self.at.table is not None:
            self._narrowing.start(self.at.table, self.at.state)

    def fill(self, rows: Sequence[int]) -> None:
        """Show these rows of the table in front."""
        table, state = self.at.table, self.at.state
        if table is None:
            return
        order = (state.sort, state.down)
        self.query_one(Grid).show(table, rows, keep=self.at.selected(), order=order)
        status = self.query_one("#status", Row)
        typing = not self.query_one("#filter").has_class("hidden")
        status.set_class(typing or not state.filter, "hidden")
        found = f"{len(rows):,} of {len(table.items):,}"
        status.show(f"/ {state.filter}   {found}   esc clears")
        told = f"{found}   enter keeps the filter, esc clears it" if typing else ""
        self.query_one(Hints).say(told)
        self.draw_detail()

    def draw_detail(self) -> None:
        """Show what is known of the selected row."""
        item, table = self.query_one(Grid).item, self.at.table
        if table is None:
            return
        if item is None:
            index = self.at.index if self.at.active == "8" else None
            self.query_one(Detail).show(summary(index) if index is not None else ())
            return
        self.query_one(Detail).show(table.document(item))
        calls = table.calls(item)
        timeline = self.query_one(Timeline)
        timeline.highlight(calls)
        if calls and timeline.call not in timeline.highlighted:
            timeline.select(calls[0])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of a live session exist only there."""
        if action == "pause" or (action == "view" and parameters == ("p",)):
            return self.live is not None
        return super().check_action(action, parameters)
