"""A document as the lines of a pane: wrapped by plain text work, styled only where it is seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

from compilescope.tui.views.words import printable

if TYPE_CHECKING:
    from compilescope.tui.views.table import Block, Document, Excerpt

_INDENT = 1
_WORD = re.compile(r"\s*\S+\s*")


class Span(NamedTuple):
    """Some text of a line, and the part of the pane whose style it has; "" is the pane's own."""

    text: str
    part: str = ""
    code: bool = False  # looks like code as well


Line = tuple[Span, ...]


def lines_of(document: Document, width: int, *, ticks: bool) -> list[Line]:
    """The lines of a document in `width` columns; `ticks` leaves the ` around code in prose."""
    return [line for block in document for line in _block(block, width, ticks=ticks)]


def _block(block: Block, width: int, *, ticks: bool) -> Iterable[Line]:
    if block.excerpt is not None:
        yield from _excerpt(block.excerpt, width)
        return
    if block.heading:
        yield ()
        yield from _wrapped(f" {printable(block.text)}", "heading", 0, width)
        return
    indent = _INDENT + block.indent
    for text in block.text.split("\n"):
        shown = printable(text)
        if block.code or ticks or "`" not in shown:
            yield from _wrapped(shown, block.tone, indent, width - 1)
        else:
            yield from _prose(shown, block.tone, indent, width - 1)


def _wrapped(text: str, part: str, indent: int, width: int) -> Iterable[Line]:
    blank = (Span(" " * indent),) if indent else ()
    for start, end in wrapped(text, width - indent):
        yield (*blank, Span(text[start:end], part))


def _prose(text: str, part: str, indent: int, width: int) -> Iterable[Line]:
    """Prose with every second piece between backticks as code."""
    pieces = text.split("`")
    plain = "".join(pieces)
    ends = [0, *accumulate(len(piece) for piece in pieces)]
    for start, end in wrapped(plain, width - indent):
        spans = [Span(" " * indent)]
        for number, (first, last) in enumerate(pairwise(ends)):
            text = plain[max(first, start) : min(last, end)]
            if text:
                spans.append(Span(text, part, code=bool(number % 2)))
        yield tuple(spans)


def _excerpt(excerpt: Excerpt, width: int) -> Iterator[Line]:
    digits = len(str(excerpt.lines[-1][0]))
    for number, text in excerpt.lines:
        here = number == excerpt.here
        margin = f" {'›' if here else ' '}{number:>{digits}} │ "
        room = width - len(margin)
        yield (Span(margin, "dim"), Span(_cut(printable(text), room), "here" if here else ""))
        start, length = excerpt.caret
        if here and length:
            blank = f"  {'':>{digits}} │ {' ' * start}"
            yield (Span(blank, "dim"), Span(("^" * length)[: max(0, room - start)], "caret"))


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)) + "…"


def wrapped(text: str, width: int) -> list[tuple[int, int]]:
    """Where each line of `text` begins and ends, cut between words, and within one too long."""
    if width <= 0:
        return []
    if cell_len(text) <= width:
        return [(0, len(text.rstrip()))]
    starts, room = [0], width
    for found in _WORD.finditer(text):
        word = found[0]
        size = cell_len(word.rstrip())
        if size > room and size <= width:
            starts.append(found.start())
            room = width
        elif size > width:
            if found.start():
                starts.append(found.start())
            pieces = chop_cells(word, width)
            for piece in pieces[:-1]:
                starts.append(starts[-1] + len(piece))
            room = width - cell_len(pieces[-1])
            continue
        room -= cell_len(word)
    bounds = [*starts, len(text)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in pairwise(bounds)]
