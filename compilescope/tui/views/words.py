"""Words, numbers and places as the terminal program writes them."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Sequence

from compilescope.diagnose.verdict import duration
from compilescope.model import Frame

STATUS = {
    "clean": "✓ clean",
    "warming": "… warming up",
    "recompiles": "↻ recompiles",
    "fallback": "! runs eagerly",
    "breaks": "/ graph breaks",
    "nothing": "∅ nothing compiled",
    "failed": "✗ failed",
}
_COLUMN = 9
_HOME = re.compile(r"^(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+)(?=[/\\])")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d+)")
# Marks that turn the direction of writing can make code read as something else.
_INVISIBLE = [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x061C, 0xFEFF]
_INVISIBLE += [*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)]
_VISIBLE = {code: chr(0x2400 + code) if code < 32 else f"<U+{code:04X}>" for code in _INVISIBLE}


def printable(text: str) -> str:
    """`text` of unknown origin, with nothing left in it that a terminal would obey."""
    if text.isascii() and text.isprintable():
        return text
    return text.expandtabs(4).translate(_VISIBLE)


def few(count: int, one: str, many: str = "") -> str:
    """`1 call`, `2 calls`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def seconds(value: float | None) -> str:
    """A duration; `?` where it is not known."""
    if value is None:
        return "?"
    return duration(value).replace("us", "µs") if value else "0 s"


def brief(value: float | None) -> str:
    """A duration in few enough letters for a column."""
    text = seconds(value)
    if value is None or len(text) <= _COLUMN:
        return text
    if value < 6000:
        return f"{value / 60:.1f} min" if value < 600 else f"{value / 60:.0f} min"
    return f"{value / 3600:,.1f} h"


def said(error: Exception) -> str:
    """An error in the words that a message has room for."""
    parts = (getattr(error, name, "") for name in ("message", "cause", "hint"))
    return ": ".join(part for part in parts if part) or str(error)


def short(path: str) -> str:
    """`path` from here or from a home folder, whichever is shorter to read."""
    here = os.getcwd() + os.sep
    return path[len(here) :] if path.startswith(here) else _HOME.sub("~", path)


def function(name: str) -> str:
    """A function's name; what continues it after a graph break is named as that."""
    match = _RESUMED.fullmatch(name)
    return f"{match[1]} after {match[2]}" if match else name


def place(frame: Frame | None) -> str:
    """`file.py:12 step`: enough to recognise a line."""
    if frame is None:
        return ""
    name = re.split(r"[/\\]", frame.path)[-1]
    return f"{name}:{frame.line} {function(frame.function)}".rstrip() if frame.line else name


def where(frame: Frame) -> str:
    """`folder/file.py:12 in step`: enough to find a line."""
    at = f"{short(frame.path)}:{frame.line}" if frame.line else short(frame.path)
    return f"{at} in {function(frame.function)}" if frame.function else at


def numbers(values: Sequence[int], most: int = 12) -> str:
    """The first numbers, and how many more there are."""
    shown = ", ".join(f"{value:,}" for value in values[:most])
    more = len(values) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def letters(ids: Iterable[str]) -> dict[str, str]:
    """A letter for each id: A to Z, then AA, AB, and so on."""
    found: dict[str, str] = {}
    for name in ids:
        found.setdefault(name, _letter(len(found)))
    return found


def locate(code: str, expression: str) -> tuple[int, int]:
    """Start and length of `expression`, or else of its last name, in `code`; 0, 0 if nowhere."""
    for candidate in (expression, expression.rpartition(".")[2]):
        found = re.search(rf"(?<!\w){re.escape(candidate)}(?!\w)", code) if candidate else None
        if found:
            return found.start(), len(candidate)
    return 0, 0


def _letter(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = string.ascii_uppercase[rest] + text
    return text
