"""The list of sessions, newest first, each with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import Screen
from textual.widgets import Input

from compilescope.filters import parse
from compilescope.tui import sources
from compilescope.tui.keys import bindings
from compilescope.tui.sources import Entry
from compilescope.tui.views.table import Block, Column, Document, Table, Tone
from compilescope.tui.views.words import STATUS, few, short
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid
from compilescope.tui.widgets.hints import Hints
from compilescope.tui.widgets.styled import Row

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.worker import Worker

    from compilescope.tui.app import Scope

_EMPTY = (
    "No sessions here.\n`compilescope probe script.py` records one; `compilescope demo` shows how."
)


class SessionsScreen(Screen[Path | None]):
    """Chooses a session: to open it, or for whoever asked (`choose`)."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("sessions")
    AUTO_FOCUS = "#sessions"

    def __init__(
        self, paths: Sequence[Path], *, choose: str = "", without: Path | None = None
    ) -> None:
        super().__init__()
        self.paths = tuple(paths)
        self.choose = choose
        self.without = without  # a session that is no choice
        self.entries: list[Entry] = []
        self._reading: Worker[None] | None = None
        self._moved = False  # until the user selects a row, it is the newest that is selected

    def compose(self) -> ComposeResult:
        yield Row(id="title")
        yield Grid(id="sessions")
        about = Detail(id="about")
        about.can_focus = False
        yield about
        yield Input(placeholder="filter", id="filter", classes="hidden", compact=True)
        yield Hints("sessions")

    def on_mount(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        found = sources.find(self.paths)
        other = self.without.absolute() if self.without is not None else None
        self.entries = [entry for entry in found if entry.path.absolute() != other]
        self._show()
        self._reading = self.run_worker(self._read, thread=True, exclusive=True)

    def _read(self) -> None:
        for entry in list(self.entries):
            if self._reading is not None and self._reading.is_cancelled:
                return
            self.app.call_from_thread(self._update, sources.look(entry))

    def _update(self, entry: Entry) -> None:
        self.entries = [entry if old.path == entry.path else old for old in self.entries]
        if all(known.read for known in self.entries):
            self.entries.sort(key=lambda known: -known.when)
        self._show()

    def _show(self) -> None:
        grid = self.query_one(Grid)
        text = self.query_one("#filter", Input).value
        query = parse(text)
        chosen = grid.item if self._moved else None
        table = _table(self.entries)
        rows = [
            number
            for number, entry in enumerate(self.entries)
            if not text or query.holds(table.values(entry))
        ]
        keep = next(
            (number for number in rows if chosen and self.entries[number].path == chosen.path), None
        )
        grid.show(table, rows, keep=keep)
        what = self.choose or few(len(self.entries), "session")
        shown = f", {len(rows)} shown" if len(rows) < len(self.entries) else ""
        self.query_one("#title", Row).show(f"compilescope  {what}{shown}")
        self._tell()

    def _tell(self) -> None:
        entry = self.query_one(Grid).item
        self.query_one(Detail).show(_document(entry) if isinstance(entry, Entry) else ())

    def on_grid_moved(self) -> None:
        self._moved = True
        self._tell()

    def on_grid_entered(self) -> None:
        entry = self.query_one(Grid).item
        if not isinstance(entry, Entry):
            return
        if self.choose:
            self.dismiss(entry.path)
            return
        cast("Scope", self.app).open(entry.path)

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.remove_class("hidden")
        field.focus()

    def on_input_changed(self) -> None:
        self._show()

    def on_input_submitted(self) -> None:
        self.query_one(Grid).focus()

    def action_back(self) -> None:
        field = self.query_one("#filter", Input)
        if not field.has_class("hidden"):
            field.value = ""
            field.add_class("hidden")
            self.query_one(Grid).focus()
        elif self.choose:
            self.dismiss(None)
        elif len(self.app.screen_stack) > 2:
            self.app.pop_screen()


def _table(entries: list[Entry]) -> Table:
    return Table(
        entries,
        (
            Column("state", _state, 18),
            Column("recorded", lambda entry: sources.dated(entry.when), 16),
            Column("program", lambda entry: entry.name or entry.path.name, 24),
            Column("verdict", lambda entry: entry.error or entry.verdict),
        ),
        document=_document,
        identity=lambda entry: str(entry.path),
        values=lambda entry: {
            "file": str(entry.path),
            "kind": _state(entry),
            "name": entry.name,
            "verdict": entry.error or entry.verdict,
        },
        empty=_EMPTY,
        tone=_tone,
    )


def _document(entry: Entry) -> Document:
    """All of what the row has no room for."""
    said = entry.error or entry.verdict or "reading …"
    return (Block(said, "bad" if entry.error else "strong"), Block(short(str(entry.path)), "dim"))


def _state(entry: Entry) -> str:
    if entry.error:
        return "✗ unreadable"
    if entry.status == "running":
        return "● still running"
    return STATUS.get(entry.status, "… reading")


def _tone(entry: Entry) -> Tone:
    if entry.error or entry.status in {"failed", "fallback", "recompiles"}:
        return "bad"
    if entry.status == "clean":
        return "good"
    return "warn" if entry.status in {"breaks", "running"} else "dim"
