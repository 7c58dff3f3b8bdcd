"""The sentence at the top: how much faster, when it pays, and what stands against it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilescope.bench.intervals import is_unclear, significant
from compilescope.benching import Range, Trial
from compilescope.diagnose.verdict import duration


def best(trials: Sequence[Trial]) -> int | None:
    """The trial that is fastest for certain, None where none is clearly faster than eager.

    By the lower end of the interval; a setting whose outputs differ does not count.
    """
    good = [
        (one.ratio.low or one.ratio.value, -number)
        for number, one in enumerate(trials)
        if one.ratio is not None and (one.ratio.low or one.ratio.value) > 1
        if is_sound(one)
    ]
    return -max(good)[1] if good else None


def is_sound(trial: Trial) -> bool:
    """Whether its results are right, and what it measured is compiled code alone."""
    return trial.numerics.verdict != "differs" and not trial.fallback


TUNE = "run tune first"


def verdict(trials: Sequence[Trial], chosen: int | None, advice: str = TUNE) -> str:
    """The answer in one sentence; `advice` is what to do about recompiles."""
    measured = [one for one in trials if one.ratio is not None]
    if not measured:
        return f"Nothing was measured: {trials[-1].why.rstrip('.')}." if trials else (
            "Nothing was measured.")  # fmt: skip
    one = told_of(trials, chosen)
    assert one is not None
    text = "; ".join(_parts(one, advice, several=len(trials) > 1))
    return f"{text[0].upper()}{text[1:]}."


def told_of(trials: Sequence[Trial], chosen: int | None) -> Trial | None:
    """The trial that the verdict is on: the best, or else the closest to it that is right."""
    if chosen is not None:
        return trials[chosen]
    measured = [one for one in trials if one.ratio is not None]
    right = [one for one in measured if one.numerics.verdict != "differs"]
    candidates = right or measured
    return max(candidates, key=lambda one: one.ratio.value if one.ratio else 0.0, default=None)


def _parts(one: Trial, advice: str, *, several: bool) -> Iterator[str]:
    named = f" ({one.name})" if several or one.name != "as it is" else ""
    assert one.ratio is not None
    if not one.graphs:
        yield "nothing was compiled, so that there is nothing to gain"
    yield f"compiled{named} is {times(one.ratio)}"
    yield from _pays(one)
    if one.recompiles:
        count = f"{one.recompiles} recompile{'s' if one.recompiles > 1 else ''}"
        told = f": {advice}" if advice and not one.setting.tuned else ""
        yield f"{count} cost {duration(one.recompile_seconds)}{told}"
    if one.fallback:
        yield "the recompile limit was reached, so that some compiled calls ran eagerly"
    if one.numerics.verdict == "differs":
        yield f"but its results differ: {one.numerics.first}"
    if one.outcome == "stopped":
        yield f"stopped early ({one.why})"


def times(ratio: Range) -> str:
    """A ratio in words, with its interval."""
    low, high = ratio.low, ratio.high
    interval = f" [{low:.2f}, {high:.2f}]" if low is not None and high is not None else ""
    if is_unclear(ratio):
        return f"not clearly faster or slower than eager: {ratio.value:.2f} times{interval}"
    return f"{ratio.value:.2f} times as fast as eager{interval}"


def _pays(one: Trial) -> Iterator[str]:
    sure = one.ratio is not None and (one.ratio.low or 0.0) > 1
    if one.break_even is None or not sure:
        slower = one.ratio is not None and one.ratio.high is not None and one.ratio.high < 1
        if one.cold is not None and slower and one.graphs:
            yield f"its {duration(one.cold.seconds)} of compiling never pay back"
        return
    warm = one.break_even_warm
    cached = f" ({calls(warm.value)} with a warm cache)" if warm is not None else ""
    yield f"pays back after {calls(one.break_even.value)} calls{cached}"


def calls(count: float) -> str:
    """A number of calls, as exactly as it is known."""
    return f"{max(1, round(significant(count, 2))):,}"
