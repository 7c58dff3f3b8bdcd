"""Which trial is best: right first, then fewest recompiles, then what it asks and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.tune.trials import Ran

_NOISE = 1.15  # steady times within this factor are taken for equal
_SLOW = 2.0  # and from here on it counts more than what a remedy asks
_ENOUGH = 20  # steady calls, below which their median says little


def rank(trials: Iterable[Ran]) -> list[Ran]:
    """`trials`, best first."""
    found = list(trials)
    fastest = min((one.trial.measures.steady or 1e9 for one in found), default=1e9)
    return sorted(found, key=lambda one: _order(one, fastest))


def best_of(trials: Iterable[Ran]) -> Ran | None:
    """The best of those that are better than the program as it is."""
    ranked = rank(one for one in trials if one.trial.outcome in ("solved", "better"))
    return ranked[0] if ranked else None


def _order(ran: Ran, fastest: float) -> tuple[object, ...]:
    measures = ran.trial.measures
    steady = measures.steady or 1e9
    known = measures.calls - measures.compiles >= _ENOUGH
    return (
        not ran.ok,
        # A program that is hardly compiled has no recompiles either.
        2 * measures.eager_calls > measures.calls,
        measures.recompiles + measures.fallbacks,
        known and steady > fastest * _SLOW,
        # Every call pays for a break, only the start for a warm-up.
        measures.breaks,
        measures.warm_up > 0,
        # A graph for many sizes is also for those to come.
        measures.compiles if measures.warm_up else 0,
        max((one.weight for one in ran.candidates), default=0),
        len({one.key for one in ran.candidates}),
        0 if steady <= fastest * _NOISE else steady,
        measures.worst or 0.0,
    )
