"""What is looked at in a session: which view, filter, order and row. No widget, no terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compilescope.tui.views import VIEWS
from compilescope.tui.views.index import Index
from compilescope.tui.views.trials import RUNNING, identity
from compilescope.tui.widgets.grid import columns_to_sort

if TYPE_CHECKING:
    from compilescope.comparison import Comparison
    from compilescope.tui.sources import Opened
    from compilescope.tui.tried import Tried
    from compilescope.tui.views.table import Table


@dataclass
class ViewState:
    """What the user did to a view."""

    filter: str = ""
    sort: int | None = None
    down: bool = False
    item: str = ""  # identity of the selected item
    row: int = 0  # its place in the table, a first guess after an update


class Browsing:
    """One session as the user goes through it; what it says changes only with a new session."""

    def __init__(self) -> None:
        self.opened: Opened | None = None
        self.index: Index | None = None
        self.comparison: Comparison | None = None
        self.tried: Tried | None = None
        self.active = "1"
        self.states = {key: ViewState() for key in VIEWS}
        self.trail: list[tuple[str, str]] = []
        self._tables: dict[str, Table] = {}

    @property
    def table(self) -> Table | None:
        """The table of the view in front."""
        return self.table_of(self.active)

    def table_of(self, view: str) -> Table | None:
        """The table of a view; None where it has none, as the program's output."""
        if self.index is None or view not in VIEWS:
            return None
        if view not in self._tables:
            self._tables[view] = VIEWS[view][1](self.index)
        return self._tables[view]

    @property
    def state(self) -> ViewState:
        """What the user did to the view in front."""
        return self.states.setdefault(self.active, ViewState())

    def take(self, opened: Opened) -> None:
        """Look at a session, or at a later state of it."""
        self.opened = opened
        self._look(self.index.number if self.index else 0)

    def compare(self, comparison: Comparison) -> None:
        """Have this run beside another."""
        self.comparison = comparison
        self._look(self.index.number if self.index else 0)

    def take_trials(self, tried: Tried) -> None:
        """Have what is known of the trials."""
        self.tried = tried
        if self.index is not None:
            self.index.tried = tried
        self._tables.pop("v", None)
        state = self.states["v"]
        if state.item in ("", RUNNING):
            # What runs is followed until it ends, and then the best is looked at.
            found = tried.best or tried.baseline
            state.item = identity(found) if found and not tried.running else RUNNING

    def turn(self, step: int) -> bool:
        """Look at the calls of another callable; False where there is one only."""
        if self.index is None or len(self.index.diagnosis.calls) < 2:
            return False
        self._look((self.index.number + step) % len(self.index.diagnosis.calls))
        return True

    def _look(self, series: int) -> None:
        assert self.opened is not None
        self.index = Index(self.opened.diagnosis, series, self.comparison, self.tried)
        self._tables.clear()

    def visit(self, view: str) -> None:
        """Go to a view, with no way back."""
        self.trail.clear()
        self.active = view

    def enter(self, item: Any) -> bool:
        """Go from an item to the rows of another view that belong to it; False: there are none."""
        target = self.table.into(item) if self.table is not None else None
        if target is None:
            return False
        view, text = target
        self.trail.append((self.active, self.states[view].filter))
        self.states[view].filter = text
        self.active = view
        return True

    def leave(self) -> bool:
        """Undo the last `enter`, or else the filter; False where there is neither."""
        if self.trail:
            view, text = self.trail.pop()
            self.state.filter = text
            self.active = view
            return True
        had = bool(self.state.filter)
        self.state.filter = ""
        return had

    def select(self, item: Any, row: int) -> None:
        """Remember the selected row."""
        if self.table is not None:
            self.state.item, self.state.row = self.table.identity(item), row

    def selected(self) -> int | None:
        """Where in the table the item that was selected is now."""
        table, state = self.table, self.state
        if table is None or not state.item:
            return None
        items: Sequence[Any] = table.items
        if state.row < len(items) and table.identity(items[state.row]) == state.item:
            return state.row
        places = (at for at, item in enumerate(items) if table.identity(item) == state.item)
        return next(places, None)

    def sort_next(self) -> None:
        """Order by the next column, after the last as at first."""
        if self.table is not None:
            columns = [None, *columns_to_sort(self.table.columns)]
            self.sort_by(columns[(columns.index(self.state.sort) + 1) % len(columns)])

    def sort_by(self, column: int | None) -> None:
        """Order by a column, from the side where its larger problems are; again turns it round."""
        if column is not None and column == self.state.sort:
            self.reverse()
            return
        self.state.sort = column
        self.state.down = (
            column is not None and self.table is not None and self.table.columns[column].down
        )

    def reverse(self) -> None:
        """Turn the order round."""
        self.state.down = not self.state.down

    def spike(self, now: int, step: int) -> int | str:
        """The next call after (`step` 1) or before `now` that compiled, or why there is none."""
        series = self.index.series if self.index else None
        if series is None or not series.compiled:
            return "no call of this callable compiled anything"
        ahead = [call for call in series.compiled if (call - now) * step > 0]
        if not ahead:
            return f"no {'later' if step > 0 else 'earlier'} call compiled anything"
        return min(ahead) if step > 0 else max(ahead)

    def row_of(self, call: int) -> int | None:
        """The item that a call belongs to in the view in front: itself, its cause, its compile."""
        if self.table is None:
            return None
        if self.active == "2":
            return call
        if self.active not in {"1", "5"}:
            return None
        places = (at for at, item in enumerate(self.table.items) if call in self.table.calls(item))
        return next(places, None)
