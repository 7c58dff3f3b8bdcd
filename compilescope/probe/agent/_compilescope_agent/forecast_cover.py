"""The smallest set of calls found that compiles a graph for everything, from an empty cache."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from .forecast_guards import smallest

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_note import Noted

_ROUNDS = 3
_MANY = 24  # calls; to compile so many once more takes as long as it took to find them


def cover(search: Search, deadline: float) -> None:
    """Note which calls a warm-up needs, in which order; nothing where time ends before."""
    wanted = [noted for noted in search.notes.noted if noted.can_be_called]
    if not wanted:
        return
    if len(wanted) > _MANY:
        chosen = smallest(search.watched, [noted for noted in wanted if noted.ids])
        if chosen is not None:
            search.notes.cover([noted.number for noted in chosen])
            return
    ordinary = [noted for noted in wanted if noted.rank < 2]
    special = [noted for noted in wanted if noted.rank == 2]
    ordinary.sort(key=lambda noted: noted.rank)
    special.sort(key=lambda noted: noted.specials)
    began = time.monotonic()
    best = _greedy(search, [*ordinary, *special], deadline)
    took = time.monotonic() - began
    if best is None:
        return
    if special and took < 0.1 * (deadline - time.monotonic()):
        other = _greedy(search, [*ordinary, *special[::-1]], deadline)
        best = other if other is not None and len(other) < len(best) else best
    search.notes.cover([noted.number for noted in best])


def _greedy(search: Search, wanted: list[Noted], deadline: float) -> list[Noted] | None:
    """Each input that no graph serves yet, until all are served; None where they never are."""
    dynamo: Any = sys.modules["torch._dynamo"]
    dynamo.reset()
    chosen: list[Noted] = []
    for _ in range(_ROUNDS):
        found = False
        for noted in wanted:
            if time.monotonic() > deadline:
                return None
            if not search.caller.served(noted.candidate):
                search.caller.compile(noted.candidate)
                chosen.append(noted)
                found = True
        if not found:
            return list(dict.fromkeys(chosen))
    return None
