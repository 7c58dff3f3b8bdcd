"""Every key: the one table behind the bindings, the help, the palette and the README."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Place = Literal["session", "sessions", "pane"]


@dataclass(frozen=True)
class Key:
    """One key, or a few that do the same."""

    id: str
    keys: str  # as Textual names them, comma between
    action: str
    text: str  # what it does, for help and README
    label: str = ""  # in the footer; "" keeps it out
    places: tuple[Place, ...] = ("session",)
    live: bool = False  # only while a program runs

    @property
    def shown(self) -> str:
        """The keys as they are printed on a keyboard."""
        return " ".join(_NAMES.get(key, key) for key in self.keys.split(","))


_NAMES = {
    "slash": "/",
    "colon": ":",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "down": "↓",
    "up": "↑",
    "ctrl+p": "^p",
    "ctrl+q": "^q",
    "ctrl+d": "^d",
    "ctrl+u": "^u",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "esc",
    "home": "Home",
    "end": "End",
    "shift+tab": "⇧tab",
}
_BOTH: tuple[Place, ...] = ("session", "sessions")
_PANE: tuple[Place, ...] = ("pane",)

KEYS = (
    Key("view.causes", "1", "view('1')", "causes: what lost time, the dearest first"),
    Key("view.calls", "2", "view('2')", "calls: each with what it paid for"),
    Key("view.frames", "3", "view('3')", "frames: compiled functions, each below its caller"),
    Key("view.breaks", "4", "view('4')", "graph breaks"),
    Key("view.compiles", "5", "view('5')", "compile time: compiles with their phases"),
    Key("view.notices", "6", "view('6')", "notices, and what the session lacks"),
    Key("view.lint", "7", "view('7')", "findings of lint"),
    Key("view.compare", "8", "view('8')", "this run beside another"),
    Key("view.environment", "9", "view('9')", "environment and processes"),
    Key("view.symbols", "0", "view('0')", "symbolic sizes: what each may be, and why"),
    Key("view.forecast", "w", "view('w')", "forecast: inputs that would recompile"),
    Key("view.device", "d", "view('d')", "GPU: CUDA graphs, Triton kernels, memory"),
    Key("tune", "v", "tune", "try remedies on a cause; the trials", "try"),
    Key("tune.stop", "x", "stop_trials", "stop the trials, keep what is known"),
    Key("fix", "f", "fix", "show the fix as a diff, enter writes it", "fix"),
    Key("undo", "u", "undo", "take the last change back"),
    Key("view.output", "p", "view('p')", "what the program prints", live=True),
    Key("move.down", "j,down", "down", "down", places=_PANE),
    Key("move.up", "k,up", "up", "up", places=_PANE),
    Key("move.page_down", "pagedown,ctrl+d", "page_down", "a page down", places=_PANE),
    Key("move.page_up", "pageup,ctrl+u", "page_up", "a page up", places=_PANE),
    Key("move.first", "g,home", "first", "to the first", places=_PANE),
    Key("move.last", "G,end", "last", "to the last", places=_PANE),
    Key("enter", "enter", "enter", "go into: cause to calls, call to cause", "into", _PANE),
    Key("back", "escape", "back", "back; clear the filter", places=_BOTH),
    Key("pane", "tab", "pane", "other pane"),
    Key("filter", "slash", "filter", "filter the rows", "filter", _BOTH),
    Key("sort", "s", "sort", "sort by the next column"),
    Key("reverse", "S", "reverse", "reverse the order"),
    Key("spike.next", "n", "spike(1)", "next call that compiled", "spike"),
    Key("spike.previous", "N", "spike(-1)", "previous call that compiled"),
    Key("series.next", "right_square_bracket", "series(1)", "next callable on the timeline"),
    Key("series.previous", "left_square_bracket", "series(-1)", "previous callable"),
    Key("zoom", "z", "zoom", "one pane fills the screen"),
    Key("edit", "e", "edit", "open the line in $EDITOR", "edit"),
    Key("copy.fix", "y", "copy_fix", "copy the fix", "copy"),
    Key("copy.place", "Y", "copy_place", "copy path:line"),
    Key("report", "o", "report", "write the HTML report and open it", "report"),
    Key("compare", "c", "compare", "choose a run to compare with"),
    Key("list", "l", "sessions", "list of sessions"),
    Key("pause", "space", "pause", "pause this view; the program goes on", "pause", live=True),
    Key("reload", "r", "reload", "read the folder again", "reload", ("sessions",)),
    Key("palette", "colon,ctrl+p", "app.palette", "every command by name", "", _BOTH),
    Key("theme", "t", "app.theme", "choose a theme", "", _BOTH),
    Key("help", "question_mark", "app.help", "these keys", "keys", _BOTH),
    Key("quit", "q,ctrl+q", "app.leave", "quit", "quit", _BOTH),
)


def bindings(place: Place) -> list[BindingType]:
    """The bindings of a place, each with the id by which a configuration can move it."""
    return [
        Binding(
            key.keys,
            key.action,
            key.label or key.text,
            show=bool(key.label),
            key_display=key.shown.split(" ")[0],
            id=key.id,
        )
        for key in KEYS
        if place in key.places
    ]


def keys_of(*places: Place, live: bool = False) -> list[Key]:
    """The keys that mean something in these places, in the order of the table."""
    return [key for key in KEYS if set(places) & set(key.places) and (live or not key.live)]


def readme_table() -> str:
    """The keys as a Markdown table, two keys to a row."""
    cells = [(" ".join(f"`{part}`" for part in key.shown.split(" ")), key.text) for key in KEYS]
    half = (len(cells) + 1) // 2
    right = [*cells[half:], *[("", "")] * (2 * half - len(cells))]
    rows = (
        f"| {key} | {text} | {other} | {meaning} |"
        for (key, text), (other, meaning) in zip(cells[:half], right, strict=True)
    )
    return "\n".join(("| key | does | key | does |", "|---|---|---|---|", *rows)) + "\n"
