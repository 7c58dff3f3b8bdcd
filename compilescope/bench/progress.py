"""Tells on standard error what is compiled and measured, and for how long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.bench.process import Child

_EVERY = 20.0  # seconds between two lines on processes that go on


class Progress:
    """Lines for someone who waits; none where they want quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._last = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line."""
        self._last = time.monotonic()
        if not self._quiet:
            print(text, file=sys.stderr, flush=True)

    def watch(self, children: Iterable[Child]) -> None:
        """Print what each process does, if nothing was printed for a while."""
        if self._quiet or time.monotonic() - self._last < _EVERY:
            return
        stages: dict[str, list[Child]] = {}
        for child in children:
            stages.setdefault(child.stage(), []).append(child)
        for stage, those in stages.items():
            names = "; ".join(child.setting.name for child in those)
            self.say(f"{names}: {stage} ({max(child.age() for child in those):.0f} s)")
