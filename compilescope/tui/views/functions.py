"""Compiled functions, each with its continuations after graph breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Table, Tone
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import FunctionSummary
    from compilescope.tui.views.index import Index

_STATUS: dict[str, tuple[str, Tone]] = {
    "compiled": ("✓ compiled", "good"),
    "broken": ("/ split", "warn"),
    "eager": ("! eager", "bad"),
    "failed": ("✗ failed", "bad"),
    "skipped": ("– skipped", "dim"),
    "empty": ("· no graph", "dim"),
}
_MEANING = {
    "compiled": "Captured whole.",
    "broken": "Graph breaks split it; the pieces between run compiled.",
    "eager": "It runs eagerly.",
    "failed": "It could not be compiled.",
    "skipped": "torch.compile passed it by.",
    "empty": "It was traced, and no operation was left for a graph: what it calls has its own.",
}
_MOST = 30


def table(index: Index) -> Table:
    """Every compiled function, the dearest first."""
    items = sorted(index.diagnosis.functions, key=lambda item: -item.seconds)
    return Table(
        items,
        (
            Column("status", lambda item: _STATUS[item.status][0], 11),
            Column("compiling", _cost, 9, lambda item: item.seconds, down=True, right=True),
            _count("compiles", 8),
            _count("recompiles", 10),
            _count("breaks", 6),
            Column("function", lambda item: place(item.frame)),
        ),
        document=lambda item: tuple(_blocks(index, item)),
        identity=lambda item: f"{item.frame.path}:{item.frame.line} {item.frame.function}",
        values=_values,
        empty="No function was compiled.",
        tone=lambda item: _STATUS[item.status][1],
        frame=lambda item: item.frame,
        into=lambda item: ("5", f"fn:{item.frame.function}") if item.frame.function else None,
    )


def _count(name: str, width: int) -> Column:
    return Column(
        name,
        lambda item: f"{getattr(item, name):,}",
        width,
        lambda item: getattr(item, name),
        down=True,
        right=True,
    )


def _cost(item: FunctionSummary) -> str:
    return brief(item.seconds) if item.seconds else ""


def _values(item: FunctionSummary) -> dict[str, str | float | None]:
    return {
        "kind": item.status,
        "file": item.frame.path,
        "fn": item.frame.function,
        "n": item.compiles,
        "s": item.seconds,
    }


def _blocks(index: Index, item: FunctionSummary) -> Iterable[Block]:
    found = index.diagnosis
    yield from title(f"{_STATUS[item.status][0][0]}  {item.frame.function}", item.frame)
    yield from source(found.sources, item.frame)
    yield Block(_MEANING[item.status], _STATUS[item.status][1])
    counts = (
        few(item.compiles, "compile"),
        few(item.recompiles, "recompile"),
        few(item.breaks, "graph break"),
    )
    yield Block(f"{', '.join(counts)}; {seconds(item.seconds)} of compiling", indent=2)
    causes = [cause for cause in found.causes if cause.function == item.frame]
    if causes:
        yield Block("Causes", heading=True)
    for cause in causes:
        cost = seconds(cause.seconds_lost)
        yield Block(f"{index.letters[cause.id]}  {cost}  {cause.why}", indent=2)
    broken = [part for part in found.graph_breaks if item.frame.function in part.functions]
    if broken:
        yield Block("Graph breaks", heading=True)
    for part in broken[:_MOST]:
        yield Block(f"/  {place(part.frame)}  {part.why}", indent=2)
