"""Each limit held against the diagnosis."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from compilescope.diagnose.verdict import duration
from compilescope.gate.evidence import doubts, holes
from compilescope.gate.judgement import Crossing, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.comparison import Comparison
    from compilescope.diagnosis import Cause, Diagnosis, Recompile
    from compilescope.gate.limits import Limits


def judge(diagnosis: Diagnosis, limits: Limits, comparison: Comparison | None = None) -> Judgement:
    """Whether the run kept `limits`, and brought nothing that `comparison` calls new.

    Args:
        diagnosis: The run.
        limits: What it may do.
        comparison: Of a baseline with this run, where new causes are not allowed.
    """
    looked = list(_looked(diagnosis, limits))
    if comparison is not None:
        looked.append(_new_causes(diagnosis, comparison))
    names = limits.names | ({"no-new-causes"} if comparison else set())
    caveats = comparison.caveats if comparison else ()
    hiding, harmless = holes(diagnosis, limits, names)
    return Judgement(
        crossed=tuple(item for crossed, item in looked if crossed),
        held=tuple(item for crossed, item in looked if not crossed),
        undecided=tuple(doubts(diagnosis, limits, names)),
        holes=hiding,
        notes=(*(f"against the baseline, {text}" for text in caveats), *harmless),
    )


def _looked(diagnosis: Diagnosis, limits: Limits) -> Iterator[tuple[bool, Crossing]]:
    if limits.max_recompiles is not None:
        yield _recompiles(diagnosis, limits.max_recompiles, limits.after_call)
    if limits.max_breaks is not None:
        yield _breaks(diagnosis, limits.max_breaks)
    if limits.max_compile_seconds is not None:
        yield _seconds(diagnosis, limits.max_compile_seconds)
    if limits.graphs is not None:
        yield _graphs(diagnosis, limits.graphs)
    if limits.no_fallback:
        yield _fallbacks(diagnosis)


def _recompiles(diagnosis: Diagnosis, most: int, after: int) -> tuple[bool, Crossing]:
    # A recompile at no known call may be one after the warm-up: it counts.
    counted = [item for item in diagnosis.recompiles if item.call is None or item.call >= after]
    when = f" after call {after}" if after else ""
    crossing = Crossing(
        "max-recompiles",
        f"{_few(len(counted), 'recompile')}{when}, {most} allowed",
        causes=counted_causes(diagnosis, counted),
    )
    return len(counted) > most, crossing


def counted_causes(diagnosis: Diagnosis, counted: list[Recompile]) -> tuple[Cause, ...]:
    """The causes of `counted`, each with the share that those had in it."""
    found = []
    for cause in diagnosis.causes:
        own = [item for item in counted if item.cause == cause.id]
        if own:
            calls = {item.call for item in own}
            found.append(
                msgspec.structs.replace(
                    cause,
                    times=len(own),
                    seconds_lost=sum(item.seconds_lost for item in own),
                    calls=tuple(call for call in cause.calls if call in calls),
                )
            )
    return tuple(found)


def _breaks(diagnosis: Diagnosis, most: int) -> tuple[bool, Crossing]:
    breaks = diagnosis.graph_breaks
    text = f"{_few(len(breaks), 'graph break')}, {most} allowed"
    return len(breaks) > most, Crossing("max-breaks", text, breaks=breaks)


def _seconds(diagnosis: Diagnosis, most: float) -> tuple[bool, Crossing]:
    # Ranks compile at the same time: what a user waits for is the slowest, not the sum.
    by_process: Counter[int] = Counter()
    for item in diagnosis.compiles:
        by_process[item.process] += item.seconds or 0.0  # type: ignore[assignment]
    slowest = max(by_process.values(), default=0.0)
    where = " in the slowest process" if len(by_process) > 1 else ""
    text = f"{duration(slowest)} of compiling{where}, {duration(most)} allowed"
    crossed = slowest > most
    causes = diagnosis.causes if crossed else ()
    return crossed, Crossing("max-compile-seconds", text, causes=causes)


def _graphs(diagnosis: Diagnosis, expected: int) -> tuple[bool, Crossing]:
    number = diagnosis.counts.compiles
    text = f"{_few(number, 'graph')}, {expected} expected"
    return number != expected, Crossing(
        "graphs", text, causes=diagnosis.causes, breaks=diagnosis.graph_breaks
    )


def _fallbacks(diagnosis: Diagnosis) -> tuple[bool, Crossing]:
    found = diagnosis.fallbacks
    used = {name for item in found for name in item.causes}
    names = ", ".join(f"`{item.frame.function}`" for item in found)
    text = f"{names} reached the recompile limit" if found else "no function reached its limit"
    causes = tuple(cause for cause in diagnosis.causes if cause.id in used)
    return bool(found), Crossing("no-fallback", text, causes=causes, fallbacks=found)


def _new_causes(diagnosis: Diagnosis, comparison: Comparison) -> tuple[bool, Crossing]:
    new = [item for item in comparison.items if item.change == "new"]
    by_kind = Counter(item.what for item in new)
    listed = ", ".join(f"{_few(number, f'new {what}')}" for what, number in by_kind.items())
    ids = {(item.what, item.id) for item in new}
    frames = {item.frame for item in new if item.what == "fallback"}
    return bool(new), Crossing(
        "no-new-causes",
        listed.replace("new recompile", "new recompile cause") or "nothing that the baseline lacks",
        causes=tuple(item for item in diagnosis.causes if ("recompile", item.id) in ids),
        breaks=tuple(item for item in diagnosis.graph_breaks if ("graph break", item.id) in ids),
        fallbacks=tuple(item for item in diagnosis.fallbacks if item.frame in frames),
    )


def _few(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
