"""The first sentence that a reader sees, and the one on what can be got back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from compilescope.diagnosis import (
    Break,
    CallSeries,
    Cause,
    Counts,
    CudaGraphs,
    Fallback,
    Kernel,
    Seconds,
)
from compilescope.model import Session

Status = Literal["clean", "warming", "recompiles", "fallback", "breaks", "nothing", "failed"]


def status(counts: Counts, session: Session, failed: int) -> Status:
    """What sort of run this was, the worst first."""
    if counts.fallbacks:
        return "fallback"
    if counts.recompiles:
        return "recompiles"
    if counts.graph_breaks:
        return "breaks"
    if counts.compiles:
        return "clean"
    if failed or session.how in {"failed", "killed"}:
        return "failed"
    return "nothing"


def verdict(
    state: Status,
    counts: Counts,
    seconds: Seconds,
    fallbacks: tuple[Fallback, ...],
    breaks: tuple[Break, ...],
    calls: tuple[CallSeries, ...],
    device: str = "",
) -> str:
    """One sentence: what happened, and what it cost; `device` is what `on_device` says."""
    match state:
        case "fallback":
            return _fallback(fallbacks, counts)
        case "recompiles":
            return f"{_recompiled(counts, seconds)}{_breaks_too(counts)}.{_settled(calls)}"
        case "breaks":
            whole = sum(item.whole_frame for item in breaks)
            eager = f"; {_few(whole, 'function runs', 'functions run')} eagerly" if whole else ""
            return f"{_few(counts.graph_breaks, 'graph break')}{eager}, no recompiles."
        case "clean":
            cost = f" in {duration(seconds.compiling)}" if seconds.compiling else ""
            compiled = f"{_few(counts.compiles, 'graph')} compiled{cost}"
            if device:
                return f"{compiled}, no recompiles, no graph breaks, but {device}."
            return f"Nothing to fix: {compiled}, no recompiles, no graph breaks."
        case _:
            return "Nothing was compiled."


def on_device(cudagraphs: CudaGraphs | None, kernels: Iterable[Kernel]) -> str:
    """How much there is to act on that only a GPU has, "" where there is nothing."""
    problems = cudagraphs.problems if cudagraphs else ()
    found = (
        (sum(bool(item.remedies) for item in problems), "problem with CUDA graphs"),
        (
            sum(
                bool(item.remedies or any(one.remedies for one in item.causes)) for item in kernels
            ),
            "problem with Triton kernels",
        ),
    )
    said = [
        _few(count, name, name.replace("problem", "problems", 1)) for count, name in found if count
    ]
    return " and ".join(said)


def recovery(causes: tuple[Cause, ...], seconds: Seconds) -> str:
    """What fixing the first causes gives back, "" where nothing was lost."""
    if not causes or not seconds.lost:
        return ""
    best = causes[:3]
    saved = sum(cause.seconds_lost for cause in best)
    where = ", all processes together" if seconds.slowest is not None else ""
    if len(best) < len(causes):
        share = f" ({saved / seconds.lost:.0%} of what recompiles cost)"
        return f"Fixing the first {len(best)} causes gives back {duration(saved)}{where}{share}."
    which = "the cause" if len(causes) == 1 else f"the {len(causes)} causes"
    return f"Fixing {which} below gives back {duration(saved)}{where}."


def duration(seconds: float) -> str:
    """Seconds for people: `12.3 s`, `45 ms`, `1 min 5 s`, `2 h 10 min`."""
    if not seconds:
        return "0 s"
    # Each unit ends where its rounded number would reach the next one's.
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _fallback(fallbacks: tuple[Fallback, ...], counts: Counts) -> str:
    first = fallbacks[0]
    limit = f" ({first.limit})" if first.limit is not None else ""
    since = f" since call {first.call}" if first.call is not None else ""
    # The log may hold the limit's message alone, and then not the recompiles before it.
    whole = first.limit is None or counts.recompiles >= first.limit
    after = f", after {_few(counts.recompiles, 'recompile')} in all" if whole else ""
    more = f", and {len(fallbacks) - 1} more" if len(fallbacks) > 1 else ""
    return (
        f"`{first.frame.function}`{more} reached the recompile limit{limit} and runs new inputs"
        f" eagerly{since}{after}."
    )


def _recompiled(counts: Counts, seconds: Seconds) -> str:
    times = _few(counts.recompiles, "recompile")
    if not seconds.lost:
        return times[0].upper() + times[1:]
    total = f" of {duration(seconds.total)}" if seconds.total else ""
    if seconds.slowest is not None:
        # Processes run side by side: their sum may exceed the time that the program took.
        lost = f"{duration(seconds.slowest)}{total} went to recompiles in the slowest process"
        return f"{lost}, {times} in all"
    return f"{duration(seconds.lost)}{total} went to {times}"


def _breaks_too(counts: Counts) -> str:
    return f", beside {_few(counts.graph_breaks, 'graph break')}" if counts.graph_breaks else ""


def _settled(calls: tuple[CallSeries, ...]) -> str:
    compiled = [series for series in calls if series.compiled]
    if len(compiled) != 1:
        return ""
    series = compiled[0]
    if series.steady_from is None:
        return " It had not settled at the last call."
    return f" Steady from call {series.steady_from} of {len(series.seconds)}."


def _few(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
