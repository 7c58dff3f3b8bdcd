"""What every report of bench says in the same words: times, rows of the tables, remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.bench.intervals import is_unclear

from .words import few, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.benching import Benching, Change, Measured, Numerics, Range, Trial

HEAD = ("setting", "median", "p99", "times as fast", "compile", "cached", "pays back", "memory",
        "results")  # fmt: skip
CASES = ("inputs", "setting", "eager", "compiled", "times as fast")
EARLIER = ("setting", "before", "now", "compiled", "")
STATES = {"differs": "failed", "random": "broken", "failed": "failed", "slower": "failed",
          "within rounding": "compiled", "same": "compiled", "faster": "compiled"}  # fmt: skip
_MOST_TEXTS = 5
_APART = 1.1  # eager medians of one subject, from which it is said


def span(value: float | None) -> str:
    """A duration with three digits: `4.12 ms`."""
    if value is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= 0.9995 * size:
            return f"{_three(value / size)} {unit}"
    return f"{value * 1e9:.0f} ns"


def interval(found: Range | None) -> str:
    """A ratio with its interval: `1.18 [1.16, 1.20]`."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def size(count: int | None) -> str:
    """Bytes for people."""
    if count is None:
        return ""
    for unit, one in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= one:
            return f"{_three(count / one)} {unit}"
    return f"{count} B"


def subject(found: Benching) -> str:
    """What was measured, on what, in one line."""
    inputs = sum(len(case.inputs) for case in found.cases)
    parts = [
        found.name,
        found.what if found.device else "",  # else its process did not come as far as to say
        f"{found.dtype}{', autocast ' + found.autocast if found.autocast else ''}",
        few(inputs, "kind of inputs", "kinds of inputs") if inputs > 1 else "",
        found.device,
        f"torch {found.environment.torch}" if found.environment.torch else "",
        f"timed by {found.timer}" if found.timer else "",
    ]
    return " · ".join(part for part in parts if part)


def rows(found: Benching) -> Iterator[tuple[str, ...]]:
    """A row for eager and one for each setting, over all inputs; none where none was measured."""
    base = shown(found)
    if base is None:
        return
    yield ("eager", *_times(base, "eager"), "", "", "", "", size(base.eager_memory), "")
    for number, trial in enumerate(found.trials):
        mark = " *" if number == found.best and len(found.trials) > 1 else ""
        yield row(trial, trial.name + mark)


def row(trial: Trial, name: str) -> tuple[str, ...]:
    """The numbers of one setting."""
    if trial.ratio is None:
        return (name, *[""] * 7, trial.outcome)
    return (
        name,
        *_times(trial, "compiled"),
        interval(trial.ratio),
        seconds(trial.cold.seconds) if trial.cold else "",
        seconds(trial.warm.seconds) if trial.warm else "",
        pays(trial),
        size(trial.compiled_memory),
        trial.numerics.verdict,
    )


def pays(trial: Trial) -> str:
    """Calls to break even, or why there is no such number."""
    if trial.ratio is None or trial.cold is None:
        return ""
    if is_unclear(trial.ratio):
        return "unclear"
    if trial.break_even is None:
        return "never"
    from compilescope.bench.verdict import calls

    return calls(trial.break_even.value)


def cases(found: Benching) -> Iterator[tuple[str, ...]]:
    """A row for each inputs and setting, where the inputs were swept."""
    if len(found.cases) < 2:
        return
    for number, case in enumerate(found.cases):
        for trial in found.trials:
            for one in trial.measured:
                if one.case == number:
                    yield (case.name, trial.name, *_case(one))


def _case(one: Measured) -> tuple[str, str, str]:
    return span(one.eager.median.value), span(one.compiled.median.value), interval(one.ratio)


def earlier(found: Benching) -> Iterator[tuple[str, ...]]:
    """A row for each setting that an earlier result has too."""
    for one in found.earlier.changes if found.earlier else ():
        yield (
            f"{one.setting} {one.case}".strip(),
            interval(one.before),
            interval(one.after),
            _change(one),
            one.verdict,
        )


def _change(one: Change) -> str:
    before, now = one.compiled
    return f"{span(before)} to {span(now)}"


def remarks(found: Benching) -> Iterator[str]:
    """All that must be said beside the numbers; what holds of several settings is said once."""
    names: dict[str, list[str]] = {}
    for trial in found.trials:
        for text in _of(trial):
            names.setdefault(text, []).append(trial.name)
    for text, of in names.items():
        yield text if len(of) == len(found.trials) else f"{'; '.join(of)}: {text}"
    yield from _eager_apart(found)
    for caution in found.earlier.cautions if found.earlier else ():
        yield f"against the earlier result: {caution}"
    yield from found.notes


def _eager_apart(found: Benching) -> Iterator[str]:
    """Where the settings had eager calls of other speeds beside them."""
    medians = [middle(trial, "eager") for trial in found.trials if trial.measured]
    if medians and max(medians) > _APART * min(medians):
        yield (
            "each ratio is to the eager calls that were made in turns with it; their median was"
            f" from {span(min(medians))} to {span(max(medians))}"
        )


def _of(trial: Trial) -> Iterator[str]:
    if trial.ratio is None:
        yield f"{trial.outcome}: {trial.why}"
        return
    yield numbers(trial.numerics)
    if trial.graphs != 1 or trial.breaks:
        compiled = few(trial.graphs, "graph")
        again = f", {few(trial.recompiles, 'recompile')}" if trial.recompiles else ""
        breaks = f", {few(len(trial.breaks), 'graph break')}" if trial.breaks else ""
        yield f"{compiled}{again}{breaks}"
    yield from (f"graph break at {text}" for text in trial.breaks[:_MOST_TEXTS])
    yield from (f"recompiled at {text}" for text in trial.recompile_reasons[:_MOST_TEXTS])
    if trial.fallback:
        yield f"reached the recompile limit: {trial.fallback}"
    if trial.marks:
        done = " and ".join(
            word
            for word in (
                "tuned" if trial.setting.tuned else "",
                trial.setting.dynamic if trial.setting.dynamic in ("marked", "unbacked") else "",
                f"padded to multiples of {trial.setting.pad} before the call"
                if trial.setting.pad
                else "",
            )
            if word
        )
        yield f"{done}: {', '.join(trial.marks)}"
    yield from _outliers(trial)
    yield from trial.cautions


def _outliers(trial: Trial) -> Iterator[str]:
    parts = []
    for name in ("eager", "compiled"):
        calls = [getattr(one, name) for one in trial.measured]
        far = sum(len(one.outliers) for one in calls)
        if far:
            count = sum(one.count for one in calls)
            worst = span(max(one.worst for one in calls))
            parts.append(f"{far:,} of {count:,} {name} calls (slowest {worst})")
    if parts:
        yield f"outliers, all counted: {', '.join(parts)}"


def numbers(found: Numerics) -> str:
    """Whether the results are the same, with the worst of the errors."""
    why = f" ({found.why})" if found.why else ""
    worst = next((one for one in found.rows if one.verdict == "within rounding"), None)
    match found.verdict:
        case "same":
            return "results: the same, bit for bit" + why
        case "random":
            drawn = [one.name for one in found.rows if one.verdict == "random"]
            rest = "the others agree" if len(drawn) < len(found.rows) else "nothing was compared"
            at = f" in {', '.join(drawn[:3])}" if rest == "the others agree" else ""
            return f"results: random, two eager calls differ{at}; {rest}{why}"
        case "not compared":
            return "results: not compared" + why
        case "differs":
            return f"results: differ, first {found.first}; against {found.reference}{why}"
    assert worst is not None
    if not _is_rounded(worst.dtype):
        own = f", in eager calls {worst.eager:.1%}" if worst.eager is not None else ""
        return (
            f"results: within rounding of {found.reference}; at most, {worst.compiled:.1%} of the"
            f" whole numbers in {worst.name} are others{own}{why}"
        )
    own = f", eager's own {worst.eager:.1e}" if worst.eager is not None else ""
    return (
        f"results: within rounding of {found.reference}; at most, {worst.name} has a relative"
        f" error of {worst.compiled:.1e}{own}{why}"
    )


def _is_rounded(dtype: str) -> bool:
    return "float" in dtype or "complex" in dtype


def shown(found: Benching) -> Trial | None:
    """The trial that the verdict is on, None where nothing was measured."""
    from compilescope.bench.verdict import told_of

    return told_of(found.trials, found.best)


def _times(trial: Trial, name: str) -> tuple[str, str]:
    """Median and p99; over several cases the mean of their medians, and the worst p99."""
    if not trial.measured:
        return "", ""
    return span(middle(trial, name)), span(max(getattr(one, name).p99 for one in trial.measured))


def middle(trial: Trial, name: str) -> float:
    """Seconds of an eager or compiled call: the mean of the medians of all cases."""
    medians = [float(getattr(one, name).median.value) for one in trial.measured]
    return sum(medians) / len(medians)


def _three(value: float) -> str:
    """Three digits; more before the point where there are more."""
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"
