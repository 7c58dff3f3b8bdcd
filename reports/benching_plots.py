"""The shapes behind the page of bench: ratios with intervals, every call, when it pays back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import benching_words as words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilescope.benching import Benching, Calls, Range

MOST_POINTS = 1500  # of a series; more cannot be told apart
_HEIGHT = 100


@dataclass(frozen=True)
class Whisker:
    """A ratio with its interval, in percent of the width."""

    name: str
    text: str
    at: float
    left: float
    width: float
    sure: str  # "faster", "slower", or "" where the interval holds 1


@dataclass(frozen=True)
class Tick:
    """A line of a scale, in percent from its low end."""

    at: float
    label: str


@dataclass(frozen=True)
class Forest:
    """All ratios on one scale."""

    rows: tuple[Whisker, ...]
    ticks: tuple[Tick, ...]
    one: float  # where eager is


@dataclass(frozen=True)
class Dots:
    """Every call of eager and compiled in the order in which each was made, log scale."""

    key: str
    name: str
    eager: str  # a path of points
    compiled: str
    far: str  # those that stand out
    warm_up: float  # percent of the width
    ticks: tuple[Tick, ...]
    text: str


@dataclass(frozen=True)
class Line:
    """Seconds over calls: from left to right, in percent."""

    name: str
    kind: str
    path: str
    text: str


@dataclass(frozen=True)
class Payback:
    """The time that all calls took so far, eager and compiled."""

    name: str
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    calls: str  # at the right end
    text: str


def forest(found: Benching) -> Forest | None:
    """The ratios of all settings, and of all inputs where they were swept."""
    named = list(_ratios(found))
    if not named:
        return None
    values = [end for _, one in named for end in (one.low, one.high, one.value) if end]
    low, high = min(*values, 0.95), max(*values, 1.05)
    scale = _Log(low * 0.97, high * 1.03)
    rows = tuple(
        Whisker(
            name,
            words.interval(one),
            at=scale.share(one.value),
            left=scale.share(one.low or one.value),
            width=scale.share(one.high or one.value) - scale.share(one.low or one.value),
            sure=_sure(one),
        )
        for name, one in named
    )
    wide = scale.high > 3 * scale.low
    at = _decades(scale.low, scale.high) if wide else _round(scale.low, scale.high)
    ticks = tuple(Tick(scale.share(value), f"{value:g}") for value in at)
    return Forest(rows, ticks, scale.share(1.0))


def _ratios(found: Benching) -> Iterator[tuple[str, Range]]:
    for trial in found.trials:
        if trial.ratio is not None:
            yield trial.name, trial.ratio
        for one in trial.measured if len(found.cases) > 1 else ():
            yield f"{trial.name}: {found.cases[one.case].name}", one.ratio


def _sure(one: Range) -> str:
    if one.low is not None and one.low > 1:
        return "faster"
    return "slower" if one.high is not None and one.high < 1 else ""


def _round(low: float, high: float) -> list[float]:
    """About six round numbers from `low` to `high`."""
    step = (high - low) / 6
    unit = 10.0 ** math.floor(math.log10(step))
    step = next(size * unit for size in (1, 2, 5, 10) if size * unit >= step)
    first = math.ceil(low / step)
    return [round(number * step, 6) for number in range(first, math.floor(high / step) + 1)]


def dots(found: Benching) -> Iterator[Dots]:
    """A drawing for each setting and inputs."""
    for number, trial in enumerate(found.trials):
        for one in trial.measured:
            case = found.cases[one.case].name
            name = ", ".join(part for part in (trial.name, case) if part)
            yield _dots(f"{number}-{one.case}", name, one.eager, one.compiled)


def _dots(key: str, name: str, eager: Calls, compiled: Calls) -> Dots:
    values = [value for value in (*eager.samples, *compiled.samples) if value > 0] or [1e-3]
    scale = _Log(min(values) * 0.9, max(values) * 1.1)
    far = _points(eager, scale, eager.outliers) + _points(compiled, scale, compiled.outliers)
    return Dots(
        key=key,
        name=name,
        eager=_points(eager, scale, _thinned(len(eager.samples))),
        compiled=_points(compiled, scale, _thinned(len(compiled.samples))),
        far=far,
        warm_up=round(100 * compiled.warm_up / max(1, len(compiled.samples)), 2),
        ticks=tuple(
            Tick(scale.share(value), words.span(value)) for value in _decades(scale.low, scale.high)
        ),
        text=(
            f"{len(eager.samples):,} eager and {len(compiled.samples):,} compiled calls; medians"
            f" {words.span(eager.median.value)} and {words.span(compiled.median.value)}"
        ),
    )


def _thinned(count: int) -> range:
    return range(0, count, max(1, -(-count // MOST_POINTS)))


def _points(calls: Calls, scale: _Log, places: Sequence[int]) -> str:
    count = max(1, len(calls.samples))
    return "".join(
        f"M{_short(1000 * (at + 0.5) / count)} {_short(100 - scale.share(calls.samples[at]))}h0"
        for at in places
        if calls.samples[at] > 0
    )


def _decades(low: float, high: float) -> list[float]:
    """Decades between, with 2 and 5 of each where there are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) < 5 else (1,)
    found = [float(f"{size}e{power}") for power in powers for size in steps]
    return [value for value in found if low <= value <= high]


def payback(found: Benching) -> Payback | None:
    """When the setting that the verdict is on wins back what it cost."""
    best = words.shown(found)
    if best is None or best.ratio is None or best.cold is None or not best.measured:
        return None
    eager = words.middle(best, "eager")
    compiled = words.middle(best, "compiled")
    even = best.break_even.value if best.break_even else best.cold.seconds / eager
    calls = 2 * max(even, 1.0)
    costs = [("eager", "was", 0.0, eager), ("compiled", "cold", best.cold.seconds, compiled)]
    if best.warm is not None:
        costs.append(("compiled, cached", "cached", best.warm.seconds, compiled))
    top = max(cost + calls * each for _, _, cost, each in costs)
    lines = tuple(
        Line(name, kind, f"M0 {_y(cost, top)}L1000 {_y(cost + calls * each, top)}",
             f"{words.span(cost)} and then {words.span(each)} a call" if cost else
             f"{words.span(each)} a call")
        for name, kind, cost, each in costs
    )  # fmt: skip
    ticks = tuple(
        Tick(round(100 * value / top, 2), words.span(value)) for value in _round(0, top) if value
    )
    from compilescope.bench.intervals import is_unclear
    from compilescope.bench.verdict import calls as in_words

    if is_unclear(best.ratio):
        says = "whether the lines meet is not clear"
    else:
        says = f"the lines meet after {in_words(even)} calls" if best.break_even else (
            "the lines never meet")  # fmt: skip
    return Payback(best.name, lines, ticks, in_words(calls), f"{best.name}: {says}")


def _y(value: float, top: float) -> str:
    return _short(_HEIGHT * (1 - value / top))


class _Log:
    """A log scale from `low` to `high`, in percent."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def share(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(100 * min(1.0, max(0.0, part)), 2)


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
