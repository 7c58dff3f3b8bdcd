"""What `lint` found in the source, and how often the run met it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.model import Finding, Frame
from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Table
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.tui.views.index import Index

_FIX = {"safe": "`lint --fix` makes the edit.", "unsafe": "`lint --unsafe-fixes` makes the edit."}


def table(index: Index) -> Table:
    """The findings that the run met first."""
    items = sorted(index.diagnosis.findings, key=lambda item: -(item.seconds or 0.0))
    return Table(
        items,
        (
            Column("rule", lambda item: item.code, 7),
            Column("cost", _cost, 9, lambda item: item.seconds or 0.0, down=True, right=True),
            Column("met", _met, 6, lambda item: item.times or 0, down=True, right=True),
            Column("where", lambda item: place(_frame(item)), 26, whole=True),
            Column("message", lambda item: item.message),
        ),
        document=lambda item: tuple(_blocks(index, item)),
        identity=lambda item: f"{item.code} {item.path}:{item.line}:{item.column}",
        values=_values,
        empty="This session holds no findings of lint.\n"
        "`compilescope lint --session FILE` says what each finding cost in this run.",
        tone=lambda item: "warn" if item.times else "",
        frame=_frame,
        fix=lambda item: item.help,
    )


def _cost(item: Finding) -> str:
    return brief(item.seconds) if item.seconds else ""


def _met(item: Finding) -> str:
    return "?" if item.times is None else f"{item.times:,}"


def _frame(item: Finding) -> Frame:
    return Frame(item.path, item.line, item.function)


def _values(item: Finding) -> dict[str, str | float | None]:
    return {
        "rule": f"{item.code} {item.name}",
        "kind": item.severity,
        "file": item.path,
        "fn": item.function,
        "n": item.times,
        "s": item.seconds,
        "message": item.message,
    }


def _blocks(index: Index, item: Finding) -> Iterable[Block]:
    yield from title(f"{item.code}  {item.message}", _frame(item))
    yield from source(index.diagnosis.sources, _frame(item))
    if item.times is not None:
        met = few(item.times, "time") if item.times else "not"
        cost = f", {seconds(item.seconds)}" if item.seconds else ""
        yield Block(f"This run met it {met}{cost}.", "warn" if item.times else "dim")
    if item.reason:
        yield Block("Why", heading=True)
        yield Block(item.reason)
    if item.help:
        yield Block("Fix", heading=True)
        yield Block(item.help, "good")
    if item.fix:
        yield Block(_FIX[item.fix], "dim")
    yield Block(f"{item.name}, {item.certainty}. `compilescope explain {item.code}`", "dim")
