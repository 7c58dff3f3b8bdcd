"""Calls as one line of block characters: log scale, compile spikes lettered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import CallSeries

_BLOCKS = "▁▂▃▄▅▆▇█"


def strip(series: CallSeries, marks: Mapping[int, str], width: int) -> str:
    """At most `width` characters, each the slowest of the calls that it stands for.

    A column in which a recompile happened shows the letter of its cause instead of a block.
    """
    columns = min(width, len(series.seconds))
    slowest = [0.0] * columns
    letters: dict[int, str] = {}
    for index, seconds in enumerate(series.seconds):
        column = index * columns // len(series.seconds)
        slowest[column] = max(slowest[column], seconds)
        if index in marks:
            letters.setdefault(column, marks[index])
    low, high = _log(min(slowest)), _log(max(slowest))
    span = high - low
    heights = [(_log(value) - low) / span if span > 0 else 0.0 for value in slowest]
    return "".join(
        letters.get(column) or _BLOCKS[min(7, int(height * 8))]
        for column, height in enumerate(heights)
    )


def _log(seconds: float) -> float:
    return math.log10(max(seconds, 1e-7))
