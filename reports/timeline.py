"""The calls of one compiled callable as shapes for an SVG: log scale, every compile kept."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import CallSeries, Recompile

MOST_COLUMNS = 2000  # more cannot be told apart on a screen
_WIDE = 160  # up to here each call is a bar with a gap beside it
_MOST_LABELS = 150  # letters that fit side by side
_HEIGHT = 100


@dataclass(frozen=True)
class Spike:
    """A call that paid for a compile."""

    call: int
    seconds: float
    causes: tuple[str, ...]  # the dearest first; none for a first compile
    letter: str  # of the dearest
    left: float  # percent of the width


@dataclass(frozen=True)
class Strokes:
    """The spikes of one cause, as one SVG path."""

    letter: str
    cause: str
    path: str


@dataclass(frozen=True)
class Band:
    """A stretch of calls, in percent of the width."""

    left: float
    width: float
    title: str


@dataclass(frozen=True)
class Tick:
    """A decade of the scale, in percent of the height from the bottom."""

    bottom: float
    label: str


@dataclass(frozen=True)
class Panel:
    """Everything that the drawing of one callable's calls needs."""

    key: str
    name: str
    calls: int
    per_column: int
    wide: bool
    path: str
    strokes: tuple[Strokes, ...]
    spikes: tuple[Spike, ...]
    labels: tuple[Spike, ...]
    warm_up: Band | None
    eager: tuple[Band, ...]
    ticks: tuple[Tick, ...]
    steady: float | None
    process: str = ""  # "rank 1", where there are several
    device_steady: float | None = None


def panel(
    series: CallSeries,
    recompiles: Sequence[Recompile],
    letters: Mapping[str, str],
    key: str,
    process: str = "",
) -> Panel:
    """The drawing of `series`; `recompiles` are those that its calls paid for."""
    count = len(series.seconds)
    scale = Scale(series.seconds)
    causes: dict[int | None, list[str]] = defaultdict(list)
    for item in sorted(recompiles, key=lambda item: -item.seconds_lost):
        if item.cause in letters and item.cause not in causes[item.call]:
            causes[item.call].append(item.cause)
    spikes = tuple(
        Spike(
            call=call,
            seconds=series.seconds[call],
            causes=tuple(causes[call]),
            letter=letters[causes[call][0]] if causes[call] else "",
            left=round(100 * (call + 0.5) / count, 3),
        )
        for call in series.compiled
        if call < count
    )
    wide = count <= _WIDE
    per_column = -(-count // MOST_COLUMNS)
    return Panel(
        key=key,
        name=series.name,
        calls=count,
        per_column=per_column,
        wide=wide,
        path=_bars(series, scale) if wide else _area(series, scale, per_column),
        strokes=_strokes(spikes, scale, wide=wide),
        spikes=spikes,
        labels=_labels(spikes),
        warm_up=_warm_up(series),
        eager=_eager(series),
        ticks=scale.ticks(),
        steady=series.steady,
        process=process,
        device_steady=series.device_steady,
    )


class Scale:
    """Seconds to height, by whole decades."""

    def __init__(self, values: Sequence[float]) -> None:
        known = [value for value in values if value > 0] or [1e-3]
        self.low = math.floor(math.log10(min(known)))
        self.high = max(math.ceil(math.log10(max(known))), self.low + 1)

    def share(self, value: float) -> float:
        """Height from the bottom, 0.02 to 1: the cheapest call is still seen."""
        if value <= 0:
            return 0.02
        return max(0.02, (math.log10(value) - self.low) / (self.high - self.low))

    def y(self, value: float) -> str:
        """The place of `value` from the top, as SVG wants it."""
        return f"{_HEIGHT * (1 - self.share(value)):.1f}".removesuffix(".0")

    def label(self, power: int) -> str:
        """The decade in words."""
        return _decade(power)

    def ticks(self) -> tuple[Tick, ...]:
        """The decades that are labelled."""
        step = 1 if self.high - self.low <= 5 else 2
        return tuple(
            Tick(round(100 * (power - self.low) / (self.high - self.low), 1), _decade(power))
            for power in range(self.low, self.high + 1, step)
        )


def _decade(power: int) -> str:
    for unit, size in (("s", 0), ("ms", -3), ("µs", -6)):
        if power >= size:
            return f"{10 ** (power - size):,} {unit}"
    return f"{10 ** (power + 9)} ns" if power >= -9 else f"1e{power} s"


def _bars(series: CallSeries, scale: Scale) -> str:
    dear = set(series.compiled)
    return "".join(
        bar(call, scale.y(value)) for call, value in enumerate(series.seconds) if call not in dear
    )


def bar(call: int, y: str) -> str:
    """The SVG path of the bar of `call`, up to `y`."""
    return f"M{call}.1 {_HEIGHT}V{y}h.8V{_HEIGHT}z"


def _area(series: CallSeries, scale: Scale, per_column: int) -> str:
    """One outline; a column is as high as the slowest of its calls that compiled nothing."""
    dear = set(series.compiled)
    parts = [f"M0 {_HEIGHT}"]
    last = ""
    for start in range(0, len(series.seconds), per_column):
        stop = min(start + per_column, len(series.seconds))
        slowest = max((series.seconds[i] for i in range(start, stop) if i not in dear), default=0.0)
        y = scale.y(slowest) if slowest else str(_HEIGHT)
        parts.append(f"H{stop}" if y == last else f"V{y}H{stop}")
        last = y
    return "".join(parts) + f"V{_HEIGHT}z"


def _strokes(spikes: Sequence[Spike], scale: Scale, *, wide: bool) -> tuple[Strokes, ...]:
    paths: dict[tuple[str, str], list[str]] = {}
    for spike in spikes:
        y = scale.y(spike.seconds)
        piece = bar(spike.call, y) if wide else f"M{spike.call}.5 {_HEIGHT}V{y}"
        cause = spike.causes[0] if spike.causes else ""
        paths.setdefault((spike.letter, cause), []).append(piece)
    return tuple(Strokes(*key, "".join(pieces)) for key, pieces in paths.items())


def _labels(spikes: Sequence[Spike]) -> tuple[Spike, ...]:
    """The dearest lettered spike in each stretch that has room for one letter."""
    dearest: dict[int, Spike] = {}
    for spike in spikes:
        stretch = int(spike.left * _MOST_LABELS / 100)
        known = dearest.get(stretch)
        if spike.letter and (known is None or spike.seconds > known.seconds):
            dearest[stretch] = spike
    return tuple(dearest.values())


def _warm_up(series: CallSeries) -> Band | None:
    if not series.compiled:
        return None
    end = len(series.seconds) if series.steady_from is None else series.steady_from
    title = f"Warm-up: the last compile is in call {series.compiled[-1]}"
    return Band(0, round(100 * end / len(series.seconds), 3), title)


def _eager(series: CallSeries) -> tuple[Band, ...]:
    """Stretches of calls that ran eagerly; neighbours that share a column are one stretch."""
    count = len(series.seconds)
    reach = -(-count // MOST_COLUMNS)
    stretches: list[list[int]] = []
    for call in series.eager:
        if stretches and call - stretches[-1][1] <= reach:
            stretches[-1][1] = call
        else:
            stretches.append([call, call])
    return tuple(
        Band(
            round(100 * first / count, 3),
            round(100 * (last + 1 - first) / count, 3),
            f"Ran eagerly: call {first}"
            if first == last
            else f"Ran eagerly: calls {first} to {last}",
        )
        for first, last in stretches
    )
