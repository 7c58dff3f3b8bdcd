"""This run beside another: what became better and what worse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.comparison import Item, Total
from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Document, Table, Tone
from compilescope.tui.views.words import place, seconds

if TYPE_CHECKING:
    from compilescope.model import Frame
    from compilescope.tui.views.index import Index

_CHANGES: dict[str, tuple[str, Tone]] = {
    "gone": ("✓ gone", "good"),
    "smaller": ("↓ smaller", "good"),
    "same": ("= same", ""),
    "larger": ("↑ larger", "bad"),
    "new": ("+ new", "bad"),
}

Row = Item | Total


def table(index: Index) -> Table:
    """Totals first, then what changed most in seconds."""
    found = index.comparison
    rows: tuple[Row, ...] = (*found.totals, *found.items) if found else ()
    return Table(
        rows,
        (
            Column("change", _change, 11),
            Column("before", lambda row: _side(row, 0), 14, right=True),
            Column("after", lambda row: _side(row, 1), 14, right=True),
            Column("what", _what, 26),
            Column("why", lambda row: row.why if isinstance(row, Item) else ""),
        ),
        document=lambda row: tuple(_blocks(index, row)),
        identity=lambda row: f"{row.what} {row.id}" if isinstance(row, Item) else row.name,
        values=_values,
        empty="Press c to choose a session to compare with.",
        tone=_tone,
        frame=_frame,
    )


def _change(row: Row) -> str:
    if isinstance(row, Item):
        return _CHANGES[row.change][0]
    if row.before is None or row.after is None:
        return "? unknown"
    if row.before == row.after:
        return "= same"
    return "↓ less" if row.after < row.before else "↑ more"


def _tone(row: Row) -> Tone:
    return _CHANGES[row.change][1] if isinstance(row, Item) else "strong"


def _side(row: Row, side: int) -> str:
    if isinstance(row, Item):
        cost = f" {seconds(row.seconds[side])}" if row.seconds[side] else ""
        return f"{row.times[side]}×{cost}" if row.times[side] else "–"
    value = (row.before, row.after)[side]
    if value is None:
        return "unknown"
    return seconds(value) if row.unit == "s" else f"{value:,.0f}"


def _what(row: Row) -> str:
    return place(row.frame) if isinstance(row, Item) else row.name


def _frame(row: Row) -> Frame | None:
    return row.frame if isinstance(row, Item) else None


def _values(row: Row) -> dict[str, str | float | None]:
    if isinstance(row, Total):
        return {"kind": "total", "name": row.name}
    return {
        "kind": f"{row.change} {row.what} {row.kind}",
        "file": row.frame.path,
        "fn": row.frame.function,
        "n": row.times[1],
        "s": row.seconds[1],
        "why": row.why,
    }


def _blocks(index: Index, row: Row) -> Iterable[Block]:
    found = index.comparison
    assert found is not None
    if isinstance(row, Item):
        yield from title(f"{_CHANGES[row.change][0]}: {row.what}", row.frame)
        yield from source(index.diagnosis.sources, row.frame, row.source)
        yield Block(row.why)
    else:
        yield from title(row.name)
    yield Block(f"{_side(row, 0)} before, {_side(row, 1)} after")
    yield Block("Both runs", heading=True)
    yield from summary(index)


def summary(index: Index) -> Document:
    """The verdict on both runs, and why they may not be comparable."""
    found = index.comparison
    if found is None:
        return ()
    caveats = (Block(f"Mind: {text}.", "warn") for text in found.caveats)
    names = Block(f"{found.before} (before) and {found.after} (after)", "dim")
    return (Block(found.verdict), names, *caveats)
