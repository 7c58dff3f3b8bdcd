"""Replacements in text: edits, groups of them that belong together, and their application."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends, as Python counts lines: a form feed ends none."""
    if "\r" not in text:
        whole = text.split("\n")
        last = [whole.pop()]
        return [line + "\n" for line in whole] + (last if last[0] else [])
    lines, position = [], 0
    for end in _LINE_END.finditer(text):
        lines.append(text[position : end.end()])
        position = end.end()
    return [*lines, text[position:]] if position < len(text) else lines


@dataclass(frozen=True, order=True)
class Edit:
    """`text` instead of the characters from `start` up to `end`."""

    start: int
    end: int
    text: str

    def overlaps(self, other: Edit) -> bool:
        """Whether both cannot be made: they share characters, or one inserts inside the other."""
        if self.start == self.end or other.start == other.end:
            inside = other.start < self.start < other.end or self.start < other.start < self.end
            return inside and self != other
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Group:
    """The edits of one fix, made together or not at all."""

    edits: tuple[Edit, ...]

    def conflicts(self, other: Group) -> bool:
        """Whether an edit of the one overlaps an edit of the other."""
        return any(mine.overlaps(theirs) for mine in self.edits for theirs in other.edits)


def compatible(groups: Sequence[Group]) -> list[int]:
    """Indexes of those groups that can be made together, earlier ones first."""
    chosen: list[int] = []
    for index, group in enumerate(groups):
        if group.edits and not any(group.conflicts(groups[other]) for other in chosen):
            chosen.append(index)
    return chosen


def apply(text: str, edits: Sequence[Edit]) -> str:
    """`text` with all `edits` made; the same insertion asked for twice is made once."""
    parts: list[str] = []
    position = 0
    for edit in sorted(set(edits)):
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])
