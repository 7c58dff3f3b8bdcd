"""What a run may do at most."""

from __future__ import annotations

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """The limits of a run; one that is None or False is not looked at."""

    max_recompiles: int | None = None
    max_breaks: int | None = None
    max_compile_seconds: float | None = None
    graphs: int | None = None  # exactly so many
    after_call: int = 0  # recompiles in so many first calls of each callable do not count
    no_fallback: bool = False
    warm: bool = False  # compiled before the record began: calls without a compile are evidence

    @property
    def names(self) -> frozenset[str]:
        """Those that are set, as the command line calls them."""
        set_ = {
            "max-recompiles": self.max_recompiles is not None,
            "max-breaks": self.max_breaks is not None,
            "max-compile-seconds": self.max_compile_seconds is not None,
            "graphs": self.graphs is not None,
            "no-fallback": self.no_fallback,
        }
        return frozenset(name for name, is_set in set_.items() if is_set)
