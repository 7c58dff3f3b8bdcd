"""Names of causes and breaks that stay the same from run to run while lines move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

from msgspec.structs import replace

from compilescope.diagnosis import Break, Cause

K = TypeVar("K", bound=Hashable)
T = TypeVar("T", Cause, Break)


def identify(*parts: str) -> str:
    """A short name made of `parts`, none of which may be a line number or a compile id."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


def numbered(items: Mapping[K, T]) -> dict[K, T]:
    """The same items, those that share an id numbered from the second line on."""
    seen: Counter[str] = Counter()
    found: dict[K, T] = {}
    for key, item in sorted(items.items(), key=lambda pair: pair[1].frame.line):
        seen[item.id] += 1
        number = seen[item.id]
        found[key] = item if number == 1 else replace(item, id=f"{item.id}-{number}")
    return found
