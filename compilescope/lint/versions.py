"""Versions of torch: those that are known, and ranges of them as rules write them."""

from __future__ import annotations

Versions = tuple[tuple[int, int], tuple[int, int]]  # the first and the last minor version

NEWEST = (2, 15)
OLDEST = (2, 6)


def holds(versions: str, target: Versions) -> bool:
    """Whether a version range meets the targeted one."""
    if not versions:
        return True
    first, last = OLDEST, (99, 0)
    if ".." in versions:
        low, _, high = versions.partition("..")
        first, last = _minor(low), _minor(high)
    elif versions.startswith(">="):
        first = _minor(versions[2:])
    elif versions.startswith("<"):
        major, minor = _minor(versions[1:])
        last = (major, minor - 1)
    return first <= target[1] and last >= target[0]


def _minor(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor)
