"""The calls of two runs as two small drawings on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .timeline import Scale, bar
from .words import few, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import CallStrip


@dataclass(frozen=True)
class Drawn:
    """One of the two."""

    label: str  # "before"
    width: int  # of the drawing, in columns; the same for both
    plain: str  # SVG paths
    spikes: str
    eager: str
    said: str  # what it shows, for those who do not see it


@dataclass(frozen=True)
class Pair:
    """Both, and the scale that they share."""

    drawn: tuple[Drawn, Drawn]
    low: str
    high: str


def pair(before: CallStrip | None, after: CallStrip | None) -> Pair | None:
    """The two drawings; None where one of the runs has none."""
    if before is None or after is None:
        return None
    scale = Scale((*before.columns, *after.columns))
    width = max(len(before.columns), len(after.columns))
    return Pair(
        (_drawn("before", before, scale, width), _drawn("after", after, scale, width)),
        scale.label(scale.low),
        scale.label(scale.high),
    )


def _drawn(label: str, strip: CallStrip, scale: Scale, width: int) -> Drawn:
    spikes, eager = set(strip.recompiled), set(strip.eager)
    return Drawn(
        label=label,
        width=width,
        plain=_path(strip, scale, [i for i in range(len(strip.columns)) if i not in spikes]),
        spikes=_path(strip, scale, strip.recompiled),
        eager="".join(f"M{place} 0h1v100h-1z" for place in sorted(eager)),
        said=f"{label}: {few(strip.calls, 'call')} of {strip.name}, {_recompiled(strip)}, the"
        f" slowest {seconds(max(strip.columns, default=None))}",
    )


def _path(strip: CallStrip, scale: Scale, places: Sequence[int]) -> str:
    return "".join(bar(place, scale.y(strip.columns[place])) for place in places)


def _recompiled(strip: CallStrip) -> str:
    per_column = -(-strip.calls // len(strip.columns)) if strip.columns else 1
    what = "call" if per_column == 1 else "column"
    return f"{few(len(strip.recompiled), what)} with a recompile"
