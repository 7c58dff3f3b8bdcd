"""CS132: a lock in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

LOCKS = frozenset(
    f"{package}.{name}"
    for package in ("threading", "multiprocessing")
    for name in ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore")
)


class LockInRegion(Rule):
    """A lock in compiled code."""

    code = "CS132"
    name = "lock-in-region"
    summary = "a lock in compiled code"
    gb_ids = ("GB0142",)
    severity = "eager"
    reason = "The compiler does not trace this context manager; the function falls back to eager."
    help = "take the lock outside"

    facts = ("with",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind == "object" and fact.value.data in LOCKS:
            yield Report()
