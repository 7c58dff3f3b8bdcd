"""A few lines of the user's source around a place, with carets under the expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .words import find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.model import Frame

_TAB = 4


@dataclass(frozen=True)
class Line:
    """One line of an excerpt."""

    number: int
    text: str
    here: bool = False  # the line that the excerpt is about
    carets: str = ""  # blanks and carets, to stand under the text


def excerpt(
    sources: Mapping[str, Mapping[int, str]], frame: Frame, expression: str = "", around: int = 2
) -> tuple[Line, ...]:
    """The lines around `frame`, as far as the session has them, without their common indent."""
    known = sources.get(frame.path, {})
    middle = known.get(frame.line) or frame.code
    if not middle.strip() or not frame.line:
        return ()
    texts = {frame.line: middle.expandtabs(_TAB)}
    for step in (-1, 1):
        for number in range(frame.line + step, frame.line + step * (around + 1), step):
            if number not in known:
                break
            texts[number] = known[number].expandtabs(_TAB)
    texts = _without_empty_ends(dict(sorted(texts.items())), frame.line)
    indents = [len(text) - len(text.lstrip()) for text in texts.values() if text.strip()]
    cut = min(indents)
    return tuple(
        Line(
            number,
            text[cut:].rstrip(),
            here=number == frame.line,
            carets=_carets(text[cut:], expression) if number == frame.line else "",
        )
        for number, text in texts.items()
    )


def _without_empty_ends(texts: dict[int, str], middle: int) -> dict[int, str]:
    while (first := next(iter(texts))) != middle and not texts[first].strip():
        del texts[first]
    while (last := next(reversed(texts))) != middle and not texts[last].strip():
        del texts[last]
    return texts


def _carets(text: str, expression: str) -> str:
    at, length = find(text, expression)
    return " " * at + "^" * length if length else ""
