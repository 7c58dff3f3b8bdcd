"""Code frames: a few lines of source, the finding underlined."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.lint.formats import BLUE, BOLD, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

TAB = 4
CONTEXT = 2
LONGEST = 7  # lines of one finding that are shown


@dataclass(frozen=True)
class Span:
    """Where to underline: lines from 1, columns from 1, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def code_frame(
    lines: Sequence[str], span: Span, label: str, colour: int, style: Style
) -> tuple[int, list[str]]:
    """The width of the line numbers and the lines of a frame around `span`.

    Args:
        lines: the whole source.
        span: what to underline.
        label: said beside the underline.
        colour: of the underline.
        style: width and colour.
    """
    top = max(span.line - CONTEXT, 1)
    bottom = min(max(span.end_line, span.line) + CONTEXT, len(lines))
    while top < span.line and not lines[top - 1].strip():
        top += 1
    while bottom > span.end_line and not lines[bottom - 1].strip():
        bottom -= 1
    gutter = len(str(bottom))
    painter = _Painter(style, gutter, colour, label)
    empty = painter.bar()
    if span.end_line > span.line:
        body = painter.several(lines, span, (top, bottom))
    else:
        body = painter.single(lines, span, (top, bottom))
    return gutter, [empty, *body, empty]


def cells(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


@dataclass(frozen=True)
class _Painter:
    style: Style
    gutter: int
    colour: int
    label: str

    def bar(self, number: int | None = None) -> str:
        """The number of a line and the bar beside it."""
        text = "" if number is None else str(number)
        return self.style.paint(f"{text:>{self.gutter}} |", BOLD, BLUE)

    def mark(self, text: str) -> str:
        return self.style.paint(text, BOLD, self.colour)

    def single(self, lines: Sequence[str], span: Span, shown: tuple[int, int]) -> list[str]:
        raw = lines[span.line - 1] if span.line <= len(lines) else ""
        before = _expand(raw[: span.column - 1])
        inside = _expand(raw[: max(span.end_column - 1, span.column)])[len(before) :]
        room = max(self.style.width - self.gutter - 4, 20)
        cut = self._cut(cells(before), cells(inside), room)
        out = []
        for number in range(shown[0], shown[1] + 1):
            text = _window(_expand(lines[number - 1]), cut, room).rstrip()
            out.append(f"{self.bar(number)} {text}".rstrip())
            if number == span.line:
                carets = "^" * max(min(cells(inside), room - (cells(before) - cut)), 1)
                out.append(self._underline(" " * (cells(before) - cut), carets))
        return out

    def several(self, lines: Sequence[str], span: Span, shown: tuple[int, int]) -> list[str]:
        room = max(self.style.width - self.gutter - 6, 20)
        out = []
        for number in range(shown[0], shown[1] + 1):
            inside = span.line <= number <= span.end_line
            if inside and span.line + LONGEST - 2 <= number < span.end_line:
                if number == span.line + LONGEST - 2:
                    out.append(f"{self.style.paint('...'[: self.gutter + 1], BLUE)}")
                continue
            lead = self.mark("/" if number == span.line else "|") if inside else " "
            text = _window(_expand(lines[number - 1]), 0, room).rstrip()
            out.append(f"{self.bar(number)} {lead} {text}".rstrip())
            if number == span.end_line:
                end = cells(_expand(lines[number - 1][: span.end_column - 1]))
                rule = "|" + "_" * max(min(end, room), 1) + "^"
                out.append(self._underline("", rule))
        return out

    def _underline(self, indent: str, marks: str) -> str:
        taken = self.gutter + 3 + len(indent) + len(marks) + 1
        if not self.label:
            return f"{self.bar()} {indent}{self.mark(marks)}"
        if taken + cells(self.label) <= self.style.width:
            return f"{self.bar()} {indent}{self.mark(marks)} {self.mark(self.label)}"
        start = max(min(len(indent), self.style.width - self.gutter - 3 - cells(self.label)), 0)
        below = f"{self.bar()} {' ' * start}{self.mark(self.label)}"
        return f"{self.bar()} {indent}{self.mark(marks)}\n{below}"

    @staticmethod
    def _cut(before: int, inside: int, room: int) -> int:
        """How many columns to leave out at the left so that the underlined part is seen."""
        if before + inside <= room:
            return 0
        return max(min(before - 8, before + inside - room + 1), 0)


def _expand(text: str) -> str:
    return text.replace("\f", " ").expandtabs(TAB)


def _window(text: str, cut: int, room: int) -> str:
    """`room` columns of `text` from column `cut`, with an ellipsis where something is missing."""
    if not cut and cells(text) <= room:
        return text
    out, column = [], 0
    for char in text:
        if cut <= column < cut + room:
            out.append(char)
        column += cells(char)
    if cut and out:
        out[0] = "…"
    if column > cut + room and out:
        out[-1] = "…"
    return "".join(out)
