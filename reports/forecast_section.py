"""The forecast on the page: what happened, what would, what the warm-up proved to cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.forecast.naming import named

from . import forecast_words as words
from .words import few, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import Forecast, ForecastCall, ForecastCallable

_MOST = 12  # inputs of one callable; those with the fewest special sizes come first


@dataclass(frozen=True)
class Target:
    """A compiled callable: how far it was explored, and the inputs that would recompile."""

    name: str
    tried: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Fixed:
    """What of a callable has not varied yet, each with its place and what it is about."""

    name: str
    entries: tuple[tuple[str, str, str], ...]
    asked: str


class Section:
    """A forecast, in the words and groups of the page."""

    named = staticmethod(named)
    fixed_title = words.FIXED
    state_title = words.STATE

    def __init__(self, forecast: Forecast, anchors: Sequence[str]) -> None:
        self.anchors = tuple(anchors)
        self._graphs = [call for call in forecast.calls if call.what == "graph"]
        self.sentence = " ".join(filter(None, (words.sentence(forecast), words.proof(forecast))))
        self.limits = tuple(f"{words.limit(frame)}." for frame in forecast.frames)
        self.warmup = words.warmup(forecast)[0]
        self.targets = tuple(self._target(item) for item in forecast.callables)
        self.fixed = tuple(_fixed(forecast))
        self.state = tuple(
            (words.state(entry), place(entry.frame), entry.why)
            for entry in forecast.state
            if entry.varied
        )
        self.state_fixed = words.state_fixed(forecast.state, len(forecast.state))

    def _target(self, item: ForecastCallable) -> Target:
        own = sorted(
            (call for call in self._graphs if call.callable == item.callable),
            key=lambda call: (call.repeat, len(call.causes)),
        )
        lines = words.remarks(item)
        told = zip(own[:_MOST], words.inputs_of(own), strict=False)
        lines += [text + _covered(call) for call, text in told]
        if len(own) > _MOST:
            lines.append(f"and {few(len(own) - _MOST, 'more input')}")
        return Target(item.name or "a callable", words.tried(item), tuple(lines))


def _covered(call: ForecastCall) -> str:
    return {True: " (covered by the warm-up)", False: " (not covered)", None: ""}[call.covered]


def _fixed(forecast: Forecast) -> list[Fixed]:
    found = []
    for target in forecast.callables:
        mine = [entry for entry in forecast.fixed if entry.callable == target.callable]
        entries = [
            (words.fixed(one), place(one.frame) if one.frame and one.frame.path else "", one.why)
            for one in mine
            if one.graphs
        ]
        if mine:
            found.append(Fixed(target.name or "a callable", tuple(entries), words.asked(mine)))
    return found
