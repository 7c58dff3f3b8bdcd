"""Pieces that several documents are made of: source, fixes, guards, stacks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from compilescope.diagnosis import Remedy
from compilescope.model import Frame, GuardFailure
from compilescope.paths import is_interpreter
from compilescope.tui.views.table import Block, Excerpt
from compilescope.tui.views.words import few, locate, where

_AROUND = 2
_BLOCKS = "▁▂▃▄▅▆▇█"
_SHORTEST = 1e-9  # seconds that a call takes at least
_MOST_FRAMES = 12

Sources = Mapping[str, Mapping[int, str]]


def title(text: str, frame: Frame | None = None) -> list[Block]:
    """What it is, and where."""
    found = [Block(text, "strong")]
    if frame is not None:
        found.append(Block(where(frame), "dim"))
    return found


def source(sources: Sources, frame: Frame, expression: str = "") -> list[Block]:
    """The lines around `frame` as the session recorded them, or that it did not."""
    known = sources.get(frame.path, {})
    middle = known.get(frame.line) or frame.code
    if not middle.strip():
        if not frame.line:
            return []
        return [Block("(the session does not hold the source of this line)", "dim")]
    lines = {frame.line: middle.expandtabs(4)}
    for step in (-1, 1):
        for number in range(frame.line + step, frame.line + step * (_AROUND + 1), step):
            if number not in known:
                break
            lines[number] = known[number].expandtabs(4)
    cut = min(len(text) - len(text.lstrip()) for text in lines.values() if text.strip())
    written = [number for number in sorted(lines) if lines[number].strip()]
    numbers = range(written[0], written[-1] + 1)
    shown = tuple((number, lines[number][cut:].rstrip()) for number in numbers)
    at = locate(dict(shown)[frame.line], expression)
    return [Block(excerpt=Excerpt(shown, frame.line, at))]


def fixes(remedies: Sequence[Remedy]) -> Iterable[Block]:
    """Every remedy with its price, limits and whether it was proved."""
    for number, remedy in enumerate(remedies, 1):
        yield Block("Fix" if number == 1 else f"Or ({number})", heading=True)
        yield Block(f"{'Unsafe: ' if remedy.unsafe else ''}{remedy.text}", "good")
        if remedy.snippet:
            yield Block(remedy.snippet, "strong", indent=2, code=True)
        if remedy.price:
            yield Block(f"Price: {remedy.price}", "dim")
        if remedy.limits:
            yield Block(f"Limits: {remedy.limits}", "dim")
        if remedy.until:
            yield Block(f"Gone after torch {remedy.until}", "dim")
        yield Block(f"Proof: {remedy.proof}", "dim")
        if remedy.before is not None and remedy.after is not None:
            yield from before_and_after(remedy.before.columns, remedy.after.columns)


def before_and_after(before: Sequence[float], after: Sequence[float]) -> Iterable[Block]:
    """The calls of two runs on one scale."""
    low, high = min((*before, *after), default=0.0), max((*before, *after), default=0.0)
    yield Block(f"before  {_bars(before, low, high)}", indent=2, code=True)
    yield Block(f"after   {_bars(after, low, high)}", indent=2, code=True)


def _bars(values: Sequence[float], low: float, high: float) -> str:
    """A row of blocks, as high as the logarithm of each value."""
    floor = math.log(max(low, _SHORTEST))
    span = math.log(max(high, _SHORTEST)) - floor or 1.0
    levels = ((math.log(max(value, _SHORTEST)) - floor) / span for value in values)
    return "".join(_BLOCKS[min(7, round(level * 7))] for level in levels)


def copied(remedies: Sequence[Remedy]) -> str:
    """What `copy fix` copies: the code of the first remedy, else its words."""
    if not remedies:
        return ""
    return remedies[0].snippet or remedies[0].text


def guard(reason: GuardFailure) -> list[Block]:
    """One failed guard, as PyTorch wrote it and what it compared."""
    # What follows the expression is its place, in PyTorch's words: the source is shown above.
    expression = reason.raw.strip().partition("  # ")[0].rstrip()
    found = [Block(expression or "(no text)", indent=2, code=True)]
    if reason.required and reason.observed:
        text = f"required `{reason.required}`, the call had `{reason.observed}`"
        found.append(Block(text, "dim", indent=4))
    if reason.hint:
        found.append(Block(f"PyTorch: {reason.hint}", "dim", indent=4))
    return found


def stack(frames: Sequence[Frame]) -> Iterable[Block]:
    """The user's part of a call stack, outermost first."""
    own = [frame for frame in frames if not is_interpreter(frame.path)]
    if not own:
        return
    yield Block("Stack", heading=True)
    if len(own) > _MOST_FRAMES:
        yield Block(f"({few(len(own) - _MOST_FRAMES, 'outer frame')} left out)", "dim", indent=2)
    for frame in own[-_MOST_FRAMES:]:
        yield Block(where(frame), indent=2)
        if frame.code.strip():
            yield Block(frame.code.strip(), "dim", indent=4, code=True)


def pairs(rows: Iterable[tuple[str, str]]) -> list[Block]:
    """Names and values, one a line."""
    return [Block(f"{name}: {value}", indent=2) for name, value in rows]
