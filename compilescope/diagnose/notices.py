"""Performance hints, cudagraph skips and warnings: what they mean and whether to act."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import Remedy


def explain(kind: str, text: str) -> tuple[str, tuple[Remedy, ...]]:
    """What the notice means, and what to do; no remedies where there is nothing to do."""
    del kind, text
    return "", ()
