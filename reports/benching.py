"""What bench found, for the terminal, as Markdown and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from . import benching_words as words
from . import markdown
from .paper import blank, text_on
from .visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from compilescope.benching import Benching

_STYLES = {
    "differs": "red",
    "failed": "red",
    "slower": "red",
    "faster": "green",
    "stopped": "yellow",
}
# Columns on the screen: the names at the side of a turned table, and each setting beside them.
_NAMES, _COLUMN = 15, 20
_FOLDED = ("setting", "inputs", "results")


def render_json(found: Benching, /, **_options: Any) -> str:
    """The result as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n"


def render_terminal(
    found: Benching, /, *, width: int = 100, color: bool = False, **_options: Any
) -> str:
    """The answer, the table, and what must be said beside it."""
    shown = visible(found)
    console = blank(width, color=color, narrowest=60)
    console.print(Text(words.subject(shown), style="dim"))
    console.print(Text(shown.verdict, style="bold"))
    _table(console, words.HEAD, words.rows(shown), above=True)
    _table(console, words.CASES, words.cases(shown), above=True)
    if shown.earlier is not None:
        console.print()
        console.print(Text(f"Against {shown.earlier.name}:"))
        _table(console, words.EARLIER, words.earlier(shown))
    console.print()
    for line in words.remarks(shown):
        console.print(Padding(Text(line), (0, 0, 0, 2)))
    return text_on(console)


def render_markdown(found: Benching, /, **_options: Any) -> str:
    """The result for a pull request or an issue."""
    shown = visible(found)
    lines = [f"**{markdown.prose(shown.verdict)}**", "", markdown.prose(words.subject(shown)), ""]
    lines += _markdown(words.HEAD, words.rows(shown))
    lines += _markdown(words.CASES, words.cases(shown))
    if shown.earlier is not None:
        lines += [f"Against {markdown.prose(shown.earlier.name)}:", ""]
        lines += _markdown(words.EARLIER, words.earlier(shown))
    lines += [f"- {markdown.prose(line)}" for line in words.remarks(shown)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    body = [f"| {' | '.join(markdown.prose(cell) for cell in row)} |" for row in rows]
    if not body:
        return []
    aligned = ["---:" if _is_number(name) else "---" for name in head]
    return [f"| {' | '.join(head)} |", f"|{'|'.join(aligned)}|", *body, ""]


def _table(
    console: Console,
    head: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    *,
    above: bool = False,
) -> None:
    body = list(rows)
    if not body:
        return
    if above:
        console.print()
    if _needed(head, body) <= console.width:
        console.print(_filled(head, body))
        return
    # On its side: a column a row, as many as there is room for.
    size = max(1, (console.width - _NAMES) // _COLUMN)
    for start in range(0, len(body), size):
        if start:
            console.print()
        group = body[start : start + size]
        names, *turned = zip(head, *group, strict=True)
        console.print(_turned(names, turned))


def _filled(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 1))
    for name, width in zip(head, _widths(head, body), strict=True):
        table.add_column(
            name,
            justify="right" if _is_number(name) else "left",
            overflow="fold",
            no_wrap=name not in _FOLDED,
            min_width=width,
        )
    for row in body:
        *cells, last = row
        table.add_row(*cells, Text(last, style=_STYLES.get(last, "")))
    return table


def _widths(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[int]:
    """What each column needs; those of words can be folded."""
    longest = (max(map(len, column)) for column in zip(head, *body, strict=True))
    most = {"setting": 18, "inputs": 18, "results": 8}
    return [min(one, most.get(name, one)) for name, one in zip(head, longest, strict=True)]


def _needed(head: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    return sum(width + 2 for width in _widths(head, body)) - 2


def _turned(names: Sequence[str], body: Iterable[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 1))
    for number, name in enumerate(names):
        width = _NAMES - 2 if number == 0 else _COLUMN - 2
        table.add_column(name, overflow="fold", max_width=width)
    for name, *cells in body:
        if any(cells):
            table.add_row(name, *(Text(cell, style=_STYLES.get(cell, "")) for cell in cells))
    return table


def _is_number(name: str) -> bool:
    return name not in (*_FOLDED, "")
