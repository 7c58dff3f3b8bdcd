"""The user's source lines around what was seen, so that a session explains itself elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.model import Callable, Event, Frame
from compilescope.paths import is_interpreter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AROUND = 4
_MOST_FILES = 200
_MOST_LINES = 4000
_LARGEST_FILE = 4_000_000
_LONGEST_LINE = 400


def around(
    events: tuple[Event, ...], callables: tuple[Callable, ...], home: Path
) -> dict[str, dict[int, str]]:
    """Path to line number to text, for every frame outside torch and Python itself."""
    wanted: dict[str, set[int]] = {}
    for frame in _frames((*events, *callables)):
        if frame.line > 0 and not is_interpreter(frame.path):
            lines = wanted.setdefault(frame.path, set())
            lines.update(range(max(1, frame.line - AROUND), frame.line + AROUND + 1))
    found: dict[str, dict[int, str]] = {}
    left = _MOST_LINES
    for path in list(wanted)[:_MOST_FILES]:
        lines_of = _read(home, path, sorted(wanted[path])[:left])
        if lines_of:
            found[path] = lines_of
            left -= len(lines_of)
    return found


def _frames(value: Any) -> Iterator[Frame]:
    if isinstance(value, Frame):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _frames(part)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if isinstance(part, (tuple, msgspec.Struct)):
                yield from _frames(part)


def _read(home: Path, path: str, lines: list[int]) -> dict[int, str]:
    place = os.path.join(home, path)
    try:
        if not os.path.isfile(place) or os.path.getsize(place) > _LARGEST_FILE:
            return {}
        with open(place, encoding="utf-8", errors="replace") as file:
            text = file.read().split("\n")
    except OSError:
        return {}
    return {line: text[line - 1][:_LONGEST_LINE] for line in lines if line <= len(text)}
