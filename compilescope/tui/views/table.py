"""A table and the document beside it: what every view is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from compilescope.model import Frame

Cell = Callable[[Any], str]
Tone = Literal["", "bad", "warn", "good", "dim", "strong"]


@dataclass(frozen=True)
class Column:
    """One column; cells are made only for rows that are on the screen."""

    title: str
    cell: Cell
    width: int = 0  # 0: whatever is left
    order: Callable[[Any], Any] | None = None  # sort key; None sorts by the text
    down: bool = False  # sorted from the largest
    right: bool = False
    whole: bool = False  # cut between words: a half name helps nobody
    keys: Callable[[], Sequence[Any]] | None = None  # sort keys of all items at once
    branch: Cell | None = None  # before the text, where every item stands in its first order


@dataclass(frozen=True)
class Excerpt:
    """Lines of source around a place."""

    lines: tuple[tuple[int, str], ...]
    here: int
    caret: tuple[int, int] = (0, 0)  # start and length under the line `here`


@dataclass(frozen=True)
class Block:
    """One piece of a document."""

    text: str = ""
    tone: Tone = ""
    indent: int = 0
    heading: bool = False
    code: bool = False  # keeps its lines as they are
    excerpt: Excerpt | None = None


Document = tuple[Block, ...]


@dataclass(frozen=True)
class Alike:
    """Rows that the filter cannot tell apart but by their numbers."""

    rows: Sequence[int]
    values: Mapping[str, str | float | None]


@dataclass(frozen=True)
class Groups:
    """The rows of a long list, so that a filter looks at each group and not at each row."""

    numbers: Mapping[str, Sequence[float]]  # of every row of the table
    alike: tuple[Alike, ...]
    others: Sequence[int]  # rows that are in no group


@dataclass(frozen=True)
class Table:
    """The items of a view and how they are shown."""

    items: Sequence[Any]
    columns: tuple[Column, ...]
    document: Callable[[Any], Document]
    identity: Callable[[Any], str]  # the same after a live update
    values: Callable[[Any], Mapping[str, str | float | None]]  # for the filter
    empty: str = "Nothing."
    tone: Callable[[Any], Tone] = field(default=lambda _: "")
    frame: Callable[[Any], Frame | None] = field(default=lambda _: None)
    fix: Callable[[Any], str] = field(default=lambda _: "")
    calls: Callable[[Any], Sequence[int]] = field(default=lambda _: ())  # of the strip
    into: Callable[[Any], tuple[str, str] | None] = field(default=lambda _: None)  # view, filter
    groups: Callable[[], Groups] | None = None  # of a list that may be long
