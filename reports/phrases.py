"""How reports word and letter what a diagnosis holds."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import Cause, Diagnosis

_MOST_CALLS = 8
_HOME = re.compile(r"^(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+)(?=[/\\])")


def few(count: int, one: str, many: str = "") -> str:
    """`1 call`, `2 calls`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def ending(diagnosis: Diagnosis) -> str:
    """How the program ended, as a sentence; "" where it ended well or nothing is known."""
    ended = diagnosis.ended
    if not ended or ended == "exited with code 0":
        return ""
    if ended.startswith(("killed", "interrupted")):
        return f"The program was {ended}."
    return f"The program {'is ' if ended.startswith('still') else ''}{ended}."


def numbers(calls: Sequence[int], most: int = _MOST_CALLS) -> str:
    """The first calls by number, and how many more there are."""
    shown = ", ".join(str(call) for call in calls[:most])
    more = len(calls) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def letters(causes: Iterable[Cause]) -> dict[str, str]:
    """A letter for each cause by its id: A to Z, then AA, AB, and so on."""
    found: dict[str, str] = {}
    for cause in causes:
        found.setdefault(cause.id, _letter(len(found)))
    return found


def homely(path: str) -> str:
    """`path` with a home folder as `~`, whoever's home it is."""
    return _HOME.sub("~", path)


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
