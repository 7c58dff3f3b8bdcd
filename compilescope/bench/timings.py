"""From the recorded blocks to medians, ratios and costs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.bench.intervals import gain_range, median, median_range, quantile, ratio_range
from compilescope.bench.series import outliers, steady
from compilescope.benching import Calls, Case, Cost, Measured, Range

if TYPE_CHECKING:
    from compilescope.bench.process import Found


@dataclass(frozen=True)
class Pass:
    """One call with each input of a case."""

    round: int | None  # None in the warm-up
    seconds: tuple[float, ...]
    compiled: bool

    def mean(self, weights: Sequence[int]) -> float:
        """Seconds a call, each input as often as the program brought it."""
        total = sum(one * weight for one, weight in zip(self.seconds, weights, strict=True))
        return total / sum(weights)


class Series:
    """The calls of one variant with the inputs of one case."""

    def __init__(self, passes: Sequence[Pass], weights: Sequence[int]) -> None:
        self.passes = passes
        self.weights = weights
        warm = [number for number, one in enumerate(passes) if one.round is None]
        compiled = [number for number in warm if passes[number].compiled]
        after = compiled[-1] + 1 if compiled else 0
        found = steady([one.mean(weights) for one in passes[after:] if not one.compiled])
        self.settled = found.settled
        # Rounds are never left out by more than the level shows: those before are warm-up.
        self.start = after + found.start
        self.steady = [one for one in passes[self.start :] if not one.compiled]

    def rounds(self) -> dict[int, float]:
        """Seconds a call in each steady round: the median of its passes."""
        found: dict[int, list[float]] = {}
        for one in self.steady:
            if one.round is not None:
                found.setdefault(one.round, []).append(one.mean(self.weights))
        return {number: median(values) for number, values in found.items()}

    def levels(self) -> tuple[float, ...]:
        """The median of each input."""
        columns = zip(*(one.seconds for one in self.steady), strict=True)
        return tuple(median(column) for column in columns)

    def calls(self, rounds: Sequence[float]) -> Calls:
        """Everything about the calls that a reader may want."""
        counted = [one for one in self.steady if one.round is not None]
        width = len(self.weights)
        samples = [value for one in self.passes for value in one.seconds]
        steady_at = [
            number * width + index
            for number, one in enumerate(self.passes)
            if number >= self.start and not one.compiled
            for index in range(width)
        ]
        levels = self.levels()
        relative = [samples[at] / (levels[at % width] or 1.0) for at in steady_at]
        times = [value for one in counted for value in one.seconds]
        return Calls(
            median=median_range(rounds),
            p99=quantile(times, 0.99),
            worst=max(times),
            best=min(times),
            count=len(times),
            warm_up=self.start * width,
            settled=self.settled,
            outliers=tuple(steady_at[index] for index in outliers(relative)),
            samples=tuple(samples),
        )


def series(found: Found, variant: str, case: int, weights: Sequence[int]) -> Series | None:
    """The calls that were recorded, None where there are none that were steady."""
    passes: list[Pass] = []
    for block in found.blocks(variant, case):
        number = block["round"] if block["phase"] == "round" else None
        times, width = block["seconds"], len(weights)
        for start in range(0, len(times) - width + 1, width):
            compiled = any(start <= at < start + width for at in block["compiled"])
            passes.append(Pass(number, tuple(times[start : start + width]), compiled))
    made = Series(passes, weights)
    return made if made.steady else None


@dataclass(frozen=True)
class Pair:
    """Both variants with the inputs of one case, in the rounds that both have."""

    case: int
    eager: Series
    compiled: Series
    numbers: tuple[int, ...]  # of the rounds
    eager_rounds: tuple[float, ...]
    compiled_rounds: tuple[float, ...]

    def measured(self) -> Measured:
        """The numbers."""
        return Measured(
            case=self.case,
            eager=self.eager.calls(self.eager_rounds),
            compiled=self.compiled.calls(self.compiled_rounds),
            ratio=ratio_range(self.eager_rounds, self.compiled_rounds),
            rounds=len(self.eager_rounds),
        )


def pairs(found: Found, cases: Sequence[Case]) -> list[Pair]:
    """A pair for each case that both variants were measured with."""
    made = []
    for number, case in enumerate(cases):
        eager = series(found, "eager", number, case.weights)
        compiled = series(found, "compiled", number, case.weights)
        if eager is None or compiled is None:
            continue
        one, other = eager.rounds(), compiled.rounds()
        common = sorted(one.keys() & other.keys())
        if common:
            made.append(
                Pair(
                    number,
                    eager,
                    compiled,
                    tuple(common),
                    tuple(one[at] for at in common),
                    tuple(other[at] for at in common),
                )
            )
    return made


@dataclass(frozen=True)
class Overall:
    """All cases together, round by round: seconds a call."""

    eager: tuple[float, ...]
    compiled: tuple[float, ...]

    def ratio(self) -> Range:
        """Eager by compiled."""
        return ratio_range(self.eager, self.compiled)

    def gain(self) -> Range:
        """Seconds that a compiled call saves."""
        return gain_range(self.eager, self.compiled)


def overall(made: Sequence[Pair]) -> Overall | None:
    """The mean over the cases in the rounds that all have, each input as often as it came."""
    if not made:
        return None
    common = sorted(set.intersection(*(set(one.numbers) for one in made)))
    if not common:
        return None
    weights = [sum(one.eager.weights) for one in made]

    def mean(rounds: Sequence[Sequence[float]]) -> tuple[float, ...]:
        by_number = [dict(zip(one.numbers, values, strict=True))
                     for one, values in zip(made, rounds, strict=True)]  # fmt: skip
        return tuple(
            sum(values[at] * weight for values, weight in zip(by_number, weights, strict=True))
            / sum(weights)
            for at in common
        )

    return Overall(
        mean([one.eager_rounds for one in made]), mean([one.compiled_rounds for one in made])
    )


def cost(found: Found, levels: Sequence[tuple[float, ...]]) -> Cost | None:
    """What compiled calls took beyond their steady level until nothing compiled any more.

    At least what torch itself says: beside calls of many seconds a compile of one is not seen.
    `levels` has, for each case, the steady seconds of each of its inputs.
    """
    seconds = 0.0
    warm = [one for one in found.all("block")
            if one["variant"] == "compiled" and one["phase"] == "warm"]  # fmt: skip
    last = max((number for number, one in enumerate(warm) if one["compiled"]), default=-1)
    if not warm:
        return None
    for block in warm[: last + 1]:
        if block["case"] < len(levels):
            pairs_ = zip(block["seconds"], levels[block["case"]], strict=False)
            seconds += sum(max(0.0, value - level) for value, level in pairs_)
    compiles = found.all("compile")
    again = [one for one in compiles if one["recompile"]]
    return Cost(
        seconds=max(seconds, sum(one["seconds"] for one in compiles)),
        graphs=sum(not one["failed"] for one in compiles),
        recompiles=len(again),
        recompile_seconds=sum(one["seconds"] for one in again),
    )
