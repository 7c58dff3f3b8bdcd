"""Watching torch.compile in this very process: for tests, notebooks and trainers."""

from __future__ import annotations

from compilescope.live.watch import Watch, WatchFailure

__all__ = ["Watch", "WatchFailure"]
