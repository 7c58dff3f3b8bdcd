"""The calls of a run as a strip to lay beside that of another run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from compilescope.model import CallStrip

if TYPE_CHECKING:
    from compilescope.diagnosis import CallSeries, Diagnosis

MOST_COLUMNS = 240

Interval = tuple[float, float]


def call_strip(
    diagnosis: Diagnosis, names: Sequence[str] = (), without: Iterable[Interval] = ()
) -> CallStrip | None:
    """The calls of the first callable in `names` that was called, or else of the dearest one.

    Args:
        diagnosis: The run.
        names: Compiled callables that the strip may be of, any where it is empty.
        without: Times whose calls are left out, as those of a warm-up.
    """
    series = _series(diagnosis, names)
    if series is None:
        return None
    recompiled = {
        item.call
        for item in diagnosis.recompiles
        if (item.process, item.callable) == (series.process, series.callable)
    }
    left_out = tuple(without)
    kept = [call for call in range(len(series.seconds)) if not _within(series, call, left_out)]
    if not kept:
        return None
    per_column = -(-len(kept) // MOST_COLUMNS)
    columns = [kept[at : at + per_column] for at in range(0, len(kept), per_column)]
    eager = set(series.eager)
    return CallStrip(
        name=series.name,
        calls=len(kept),
        columns=tuple(max(series.seconds[call] for call in calls) for calls in columns),
        recompiled=_marked(columns, recompiled),
        eager=_marked(columns, eager),
    )


def _series(diagnosis: Diagnosis, names: Sequence[str]) -> CallSeries | None:
    if not names:
        return next(iter(diagnosis.calls), None)
    return next((one for name in names for one in diagnosis.calls if one.name == name), None)


def _within(series: CallSeries, call: int, intervals: Sequence[Interval]) -> bool:
    if call >= len(series.at):
        return False
    return any(start <= series.at[call] <= end for start, end in intervals)


def _marked(columns: Sequence[Sequence[int]], calls: Iterable[int | None]) -> tuple[int, ...]:
    wanted = set(calls)
    return tuple(place for place, column in enumerate(columns) if not wanted.isdisjoint(column))
