"""Calls as one line of block characters: log scale, compile spikes lettered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import CallSeries, Diagnosis

BLOCKS = "▁▂▃▄▅▆▇█"


def marks(diagnosis: Diagnosis, series: CallSeries, letters: Mapping[str, str]) -> dict[int, str]:
    """The letter of each call in `series` that recompiled: of its dearest cause, `?` if unknown."""
    causes = {(item.process, item.compile_id): item.cause for item in diagnosis.recompiles}
    paid = set(series.compiled)
    found: dict[int, str] = {}
    for item in sorted(diagnosis.compiles, key=lambda item: -(item.seconds or 0.0)):
        cause = causes.get((item.process, item.compile_id))
        ours = item.process == series.process and item.callable in (series.callable, None)
        if ours and cause is not None and item.call in paid:
            found.setdefault(item.call or 0, letters.get(cause, "?"))
    return found


def strip(series: CallSeries, marks: Mapping[int, str], width: int) -> str:
    """At most `width` characters, each the slowest of the calls that it stands for.

    A column in which a recompile happened shows the letter of its cause instead of a block, or a
    plus sign for a cause beyond the alphabet.
    """
    columns = min(width, len(series.seconds))
    slowest = [0.0] * columns
    lettered: dict[int, str] = {}
    for index, seconds in enumerate(series.seconds):
        column = index * columns // len(series.seconds)
        slowest[column] = max(slowest[column], seconds)
        if index in marks:
            lettered.setdefault(column, marks[index] if len(marks[index]) == 1 else "+")
    low, high = _log(min(slowest)), _log(max(slowest))
    span = high - low
    heights = [(_log(value) - low) / span if span > 0 else 0.0 for value in slowest]
    return "".join(
        lettered.get(column) or BLOCKS[min(7, int(height * 8))]
        for column, height in enumerate(heights)
    )


def _log(seconds: float) -> float:
    return math.log10(max(seconds, 1e-7))
