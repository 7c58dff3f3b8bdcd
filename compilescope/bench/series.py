"""What a series of call times shows: where it became steady, what stands out, whether it drifts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from compilescope.bench.intervals import median, quantile

_IN_A_ROW = 3  # calls inside the band that end the warm-up
_SPREAD = 4.0  # half the band, in median absolute deviations
_LEAST = 0.02  # half the band, at least, as a share of the level
_FAR = 3.0  # Tukey's "far out", in interquartile ranges
_SURE = 3.29  # standard normal: a chance of 1 in 1,000
_SMALLEST_DRIFT = 0.03
_MOST = 300  # points that a trend is tested on


@dataclass(frozen=True)
class Steady:
    """Where a series became steady."""

    start: int  # index of the first steady call
    settled: bool  # False: it never did, and `start` is the middle


def steady(values: Sequence[float]) -> Steady:
    """The first call from which three in a row lie on the level of the later half."""
    half = len(values) // 2
    later = values[half:]
    if len(values) < 2 * _IN_A_ROW:
        return Steady(0, settled=False)
    level = median(later)
    spread = median([abs(value - level) for value in later])
    reach = max(_SPREAD * spread, _LEAST * level)
    inside = [abs(value - level) <= reach for value in values]
    for start in range(half + 1):
        if all(inside[start : start + _IN_A_ROW]):
            return Steady(start, settled=True)
    return Steady(half, settled=False)


def outliers(values: Sequence[float]) -> tuple[int, ...]:
    """Indexes of the values that lie far outside of where the others do."""
    if len(values) < 4:
        return ()
    low, high = quantile(values, 0.25), quantile(values, 0.75)
    reach = max(_FAR * (high - low), _LEAST * high)
    return tuple(
        index for index, value in enumerate(values) if not low - reach <= value <= high + reach
    )


def drift(values: Sequence[float]) -> float | None:
    """How much the level rose (0.1: by a tenth) or fell over the series; None is not at all.

    A trend by Mann and Kendall's test that chance gives once in 1,000 series, of 3 % and more
    between the first and the last third.
    """
    thinned = _thinned(values)
    if len(thinned) < 9:
        return None
    third = len(thinned) // 3
    change = median(thinned[-third:]) / median(thinned[:third]) - 1
    return change if abs(change) >= _SMALLEST_DRIFT and abs(_trend(thinned)) > _SURE else None


def _thinned(values: Sequence[float]) -> list[float]:
    """Medians of neighbours, at most `_MOST` of them."""
    step = -(-len(values) // _MOST) or 1
    return [median(values[start : start + step]) for start in range(0, len(values), step)]


def _trend(values: Sequence[float]) -> float:
    """Mann and Kendall's statistic as a standard normal one."""
    count = len(values)
    score = sum(
        (later > earlier) - (later < earlier)
        for place, earlier in enumerate(values)
        for later in values[place + 1 :]
    )
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return (score - (score > 0) + (score < 0)) / deviation
