"""Medians, quantiles and their intervals: the arithmetic behind every number of a bench. Pure."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from compilescope.benching import Range

RESAMPLES = 1000
_FEWEST = 6  # rounds: with fewer a bootstrap is narrower than it claims
_LEVEL = 0.95


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of `values` do not exceed, between two of them where need be."""
    return _quantile(sorted(values), share)


def median(values: Sequence[float]) -> float:
    """The middle of `values`, which must not be empty."""
    return quantile(values, 0.5)


def median_range(values: Sequence[float]) -> Range:
    """The median of `values`, one a round, with its 95 % bootstrap interval."""
    return bootstrap(len(values), lambda rounds: median([values[number] for number in rounds]))


def ratio_range(eager: Sequence[float], compiled: Sequence[float]) -> Range:
    """Median of `eager` by median of `compiled`; what one round measured is drawn together."""
    assert len(eager) == len(compiled)

    def ratio(rounds: Sequence[int]) -> float:
        return median([eager[n] for n in rounds]) / median([compiled[n] for n in rounds])

    return bootstrap(len(eager), ratio)


def gain_range(eager: Sequence[float], compiled: Sequence[float]) -> Range:
    """Seconds that a compiled call saves; below 0 it costs more than an eager one."""

    def gain(rounds: Sequence[int]) -> float:
        return median([eager[n] for n in rounds]) - median([compiled[n] for n in rounds])

    return bootstrap(len(eager), gain)


def bootstrap(count: int, statistic: Callable[[Sequence[int]], float]) -> Range:
    """`statistic` of all rounds, and where 95 % of its values over drawn rounds lie.

    Rounds are drawn and not calls: calls that follow each other are not independent. With fewer
    than six rounds the interval is what the single rounds span.
    """
    assert count
    whole = statistic(range(count))
    if count < _FEWEST:
        singles = [statistic((number,)) for number in range(count)]
        return Range(whole, min(whole, *singles), max(whole, *singles)) if count > 1 else Range(
            whole
        )  # fmt: skip
    draw = random.Random(count)  # noqa: S311  the same data must give the same interval
    numbers = range(count)
    found = sorted(statistic(draw.choices(numbers, k=count)) for _ in range(RESAMPLES))
    rest = (1 - _LEVEL) / 2
    return Range(whole, _quantile(found, rest), _quantile(found, 1 - rest))


def are_apart(one: Range, other: Range) -> bool:
    """Whether two intervals have nothing in common; False where an end is not known."""
    low, high = (one, other) if one.value < other.value else (other, one)
    return high.low is not None and low.high is not None and high.low > low.high


def is_unclear(ratio: Range) -> bool:
    """Whether the interval of a ratio holds 1."""
    return ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high


def spanned(found: Range, other: Range | None) -> Range:
    """`found`, its interval made to hold what `other` found too: all of it where they are apart."""
    if other is None or found.low is None or found.high is None:
        return found
    more = (other.low, other.high) if are_apart(found, other) else ()
    ends = [end for end in (found.low, found.high, other.value, *more) if end is not None]
    return Range(found.value, min(ends), max(ends))


def break_even(cost: float, gain: Range) -> Range | None:
    """Calls after which `cost` seconds are won back at `gain` seconds a call; None is never.

    An end of the interval is None where the gain may be zero there.
    """
    if gain.value <= 0:
        return None
    known = [gain.low, gain.high]
    many, few = (cost / end if end is not None and end > 0 else None for end in known)
    return Range(cost / gain.value, few, many)


def significant(value: float, digits: int) -> float:
    """`value` rounded to its first `digits` digits."""
    if not value or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
