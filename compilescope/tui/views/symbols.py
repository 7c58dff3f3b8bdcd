"""Symbolic sizes: where each was born, what it may be, which lines narrowed it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Table
from compilescope.tui.views.words import few, place, where

if TYPE_CHECKING:
    from compilescope.diagnosis import SymbolicSize
    from compilescope.tui.views.index import Index


def table(index: Index) -> Table:
    """Every size or number that the graphs keep variable, or wanted to."""
    return Table(
        index.diagnosis.symbols,
        (
            Column("size", lambda item: item.source or item.name, 28),
            Column("may be", _range, 14),
            Column("met", lambda item: ", ".join(item.values), 10),
            Column("guards", _guards, 7, lambda item: len(item.guards), True, True),
            Column("born", lambda item: place(item.frame)),
        ),
        document=lambda item: tuple(_blocks(index, item)),
        identity=lambda item: f"{item.name} {item.source} {item.compile_ids[:1]}",
        values=_values,
        empty="No symbolic sizes: every size is a constant, or the session does not record them.",
        tone=lambda item: "warn" if item.constant else "",
        frame=lambda item: item.frame,
    )


def _range(item: SymbolicSize) -> str:
    return f"only {item.constant}" if item.constant else item.range


def _guards(item: SymbolicSize) -> str:
    return f"{len(item.guards):,}" if item.guards else ""


def _values(item: SymbolicSize) -> dict[str, str | float | None]:
    return {
        "kind": "backed" if item.backed else "unbacked",
        "file": item.frame.path if item.frame else "",
        "fn": item.function.function if item.function else "",
        "n": len(item.guards),
        "name": item.name,
        "source": item.source,
    }


def _blocks(index: Index, item: SymbolicSize) -> Iterable[Block]:
    sources = index.diagnosis.sources
    yield from title(f"{item.source or 'a computed size'}  ({item.name})", item.frame)
    if item.frame is not None:
        yield from source(sources, item.frame, item.source)
    yield Block(f"Range: {item.range or 'not known'}")
    if item.values:
        yield Block(f"Met: {', '.join(item.values)}")
    if not item.backed:
        yield Block("No example value stands behind it.", "dim")
    if item.constant:
        who = " by inductor" if item.by_inductor else ""
        yield Block(f"It was fixed to {item.constant}{who}.", "warn")
        if item.constant_frame is not None:
            yield Block(where(item.constant_frame), "dim")
            yield from source(sources, item.constant_frame, item.source)
    if item.guards:
        yield Block("Conditions that lines of code brought about", heading=True)
    for guard in item.guards:
        yield Block(guard.expression, "strong", indent=2, code=True)
        yield Block(where(guard.frame), "dim", indent=4)
    if item.compiler_guards:
        yield Block(f"and {few(item.compiler_guards, 'condition')} of the compiler's own", "dim")
    if item.compile_ids:
        yield Block(f"In compiles {', '.join(item.compile_ids)}", "dim")
