"""Warnings, performance hints, and what the session lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.diagnosis import Notice
from compilescope.model import Gap
from compilescope.tui.views.document import copied, fixes, source, title
from compilescope.tui.views.table import Block, Column, Document, Table
from compilescope.tui.views.words import place

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.tui.views.index import Index

Item = Gap | Notice


def table(index: Index) -> Table:
    """What is missing first, then the notices."""
    found = index.diagnosis
    return Table(
        (*found.incomplete, *found.notices),
        (
            Column("kind", _kind, 16),
            Column("×", lambda item: f"{_times(item):,}", 6, _times, down=True, right=True),
            Column("where", lambda item: place(getattr(item, "frame", None)), 26, whole=True),
            Column("meaning", _meaning),
        ),
        document=lambda item: _document(found, item),
        identity=lambda item: f"{_kind(item)} {_text(item)}",
        values=_values,
        empty="No notices, and nothing is missing from the session.",
        tone=lambda item: "warn" if isinstance(item, Gap) else "",
        frame=lambda item: getattr(item, "frame", None),
        fix=lambda item: copied(getattr(item, "remedies", ())),
    )


def gap(item: Gap) -> str:
    """What is missing, and how much of it."""
    share = f" ({item.share:.1%})" if item.share is not None else ""
    return f"{item.what}{share}{f': {item.detail}' if item.detail else ''}"


def _kind(item: Item) -> str:
    return "incomplete" if isinstance(item, Gap) else item.kind.replace("_", " ")


def _times(item: Item) -> int:
    return item.count if isinstance(item, Gap) else item.times


def _text(item: Item) -> str:
    return item.what + item.detail if isinstance(item, Gap) else item.text


def _meaning(item: Item) -> str:
    if isinstance(item, Gap):
        return gap(item)
    return item.why or item.text.partition("\n")[0]


def _values(item: Item) -> dict[str, str | float | None]:
    frame = getattr(item, "frame", None)
    return {
        "kind": _kind(item),
        "file": frame.path if frame else "",
        "fn": frame.function if frame else "",
        "n": _times(item),
        "why": _meaning(item),
        "text": _text(item),
    }


def _document(found: Diagnosis, item: Item) -> Document:
    return tuple(_gap(item) if isinstance(item, Gap) else _notice(found, item))


def _gap(item: Gap) -> Iterable[Block]:
    yield from title("The session is incomplete")
    yield Block(gap(item), "warn")


def _notice(found: Diagnosis, item: Notice) -> Iterable[Block]:
    yield from title(f"{_kind(item)}, {item.times:,}×", item.frame)
    if item.frame is not None:
        yield from source(found.sources, item.frame)
    if item.why:
        yield Block("Why", heading=True)
        yield Block(item.why)
    yield from fixes(item.remedies)
    yield Block("PyTorch says", heading=True)
    yield Block(item.text, indent=2)
