"""The order in which a warm-up calls everything: ordinary sizes first. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import ForecastCall


def ordered(calls: Sequence[ForecastCall], number: int, *, fixed: bool = False) -> list[int]:
    """All calls of a callable, each input once: ordinary sizes first, then as they came.

    Args:
        calls: Of the forecast.
        number: The callable's.
        fixed: Whether those are among them that vary what has not varied.
    """
    usable = [
        place
        for place, call in enumerate(calls)
        if call.callable == number
        and (fixed or call.what != "assumed")
        and not (call.repeat or call.unbounded or call.error)
    ]

    def rank(place: int) -> int:
        if calls[place].what == "observed":
            return 1
        return 0 if calls[place].what == "general" or not calls[place].changes else 2

    found: dict[object, int] = {}
    for place in sorted(usable, key=rank):
        call = calls[place]
        modes = (call.grad, call.inference, call.autocast, call.training, call.default_dtype)
        found.setdefault((call.leaves, modes), place)
    return list(found.values())
