"""From the best trial to a change of the user's source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tuning import Patch

if TYPE_CHECKING:
    from compilescope.tune.trials import Bench, Ran


def patch(bench: Bench, best: Ran, *, apply: bool) -> Patch | None:
    """The change that does what `best` did."""
    del bench, apply
    return Patch(paste=tuple(one.text for one in best.candidates))
