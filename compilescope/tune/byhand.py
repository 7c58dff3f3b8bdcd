"""What is left to the user: causes that no trial removed, with the remedies that none could try."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import as_written

if TYPE_CHECKING:
    from compilescope.diagnosis import Cause
    from compilescope.tune.trials import Ran

_MOST = 2  # remedies of a cause that are named
_MOVED = ("warm_up", "warm_up_unequal", "recompile_limit", "verbose_log", "report_upstream")


def left_to_the_user(base: Ran, best: Ran | None, done: list[Ran]) -> Iterator[str]:
    """A line for each cause that still recompiles, where there is something to do about it."""
    left = set(best.trial.left if best is not None else base.trial.left)
    tried = {one.id for ran in done for one in ran.trial.remedies}
    for cause in (best or base).diagnosis.causes:
        if cause.id not in left:
            continue
        texts = [
            _alone(one.text)
            for one in cause.remedies
            if one.id not in tried and one.id not in _MOVED and not one.unsafe
        ]
        if texts:
            yield f"left to you, for {_named(cause)}: {'; or: '.join(texts[:_MOST])}"


def _alone(text: str) -> str:
    """A remedy's words without the "Or" that ties them to one that was tried."""
    bare = text.removeprefix("Or ")
    return bare[:1].upper() + bare[1:]


def _named(cause: Cause) -> str:
    if "___stack" in cause.source:
        return "a value that crosses a graph break"
    return f"`{as_written(cause.source)}`" if cause.source else cause.kind
