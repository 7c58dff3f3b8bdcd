"""Waiting until a file changes, by looking: no dependency, and it works on every file system."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

INTERVAL = 0.4

State = dict["Path", tuple[int, int]]


def changes(
    files: Callable[[], Iterable[Path]], wait: Callable[[float], None] = time.sleep
) -> Iterator[list[Path]]:
    """The files that changed, appeared or went, each time that some did."""
    before = _state(files())
    while True:
        wait(INTERVAL)
        after = _state(files())
        if after != before:
            both = {**before, **after}
            yield sorted(path for path in both if before.get(path) != after.get(path))
            before = after


def _state(files: Iterable[Path]) -> State:
    state: State = {}
    for path in files:
        try:
            found = path.stat()
        except OSError:  # gone between listing and looking
            continue
        state[path] = (found.st_mtime_ns, found.st_size)
    return state
