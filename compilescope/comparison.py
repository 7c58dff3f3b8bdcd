"""Two runs side by side: what a change made better or worse."""

from __future__ import annotations

from typing import Literal

import msgspec

from compilescope.model import CallStrip, Frame

COMPARISON_VERSION = 1

Change = Literal["gone", "smaller", "same", "larger", "new"]


class Item(msgspec.Struct, frozen=True):
    """A cause or graph break, matched by function and cause, never by line or compile id."""

    id: str
    what: str  # "recompile", "graph break" or "fallback"
    kind: str
    source: str
    frame: Frame
    change: Change
    why: str
    times: tuple[int, int]  # before, after
    seconds: tuple[float, float]


class Total(msgspec.Struct, frozen=True):
    """One number of both runs."""

    name: str
    before: float | None
    after: float | None
    unit: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """What changed from one run to the other."""

    verdict: str
    status: Literal["better", "same", "worse", "mixed"]
    before: str  # names of the sessions
    after: str
    totals: tuple[Total, ...]
    items: tuple[Item, ...]  # the largest difference in seconds first
    caveats: tuple[str, ...] = ()  # why the two may not be comparable
    version: int = COMPARISON_VERSION
    calls: tuple[CallStrip, CallStrip] | None = None  # of one callable, before and after
