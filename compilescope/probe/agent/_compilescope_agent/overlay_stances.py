"""Stances that a trial takes, and which calls then run eagerly."""

from __future__ import annotations

import sys
from typing import Any

FREEZING = ("eager_on_recompile", "force_eager")


class Misses:
    """Counts guard misses: under a stance that never compiles again they mean eager code."""

    def __init__(self) -> None:
        self.count = 0
        self._taken = 0
        module: Any = sys.modules["torch"]._C._dynamo.eval_frame  # noqa: SLF001
        install = getattr(module, "set_guard_complete_hook", None)
        if install is None:
            raise LookupError("this torch does not tell which calls run eagerly: 2.8 does")
        earlier = install(self._completed)
        if earlier is not None:
            install(earlier)
            raise LookupError("guard collectives are in use: eager calls cannot be told")

    def _completed(self, hit: bool) -> bool:
        if not hit:
            self.count += 1
        return hit

    def take(self) -> bool:
        """Whether there were any since this was last asked."""
        new = self.count > self._taken
        self._taken = self.count
        return new


def take(stance: str) -> Misses | None:
    """Take `stance`; the count of misses where it never compiles again.

    Raises:
        LookupError: this torch does not tell what the stance does.
    """
    torch: Any = sys.modules["torch"]
    misses = Misses() if stance in FREEZING else None
    torch.compiler.set_stance(stance)
    return misses
