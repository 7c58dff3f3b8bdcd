"""The sizes that a session's calls had, where they vary; without torch, for the command line."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

Range = tuple[str, int, int]  # a label that equal columns of sizes share, smallest and largest


def ranges(session: Any, name: str = "") -> dict[str, dict[int, Range]]:
    """By argument name and dimension, the range of each size that varies; 0 and 1 left outside."""
    shared: dict[tuple[int, ...], str] = {}
    found: dict[str, dict[int, Range]] = defaultdict(dict)
    for (source, place), sizes in _columns(session, name).items():
        known = [size for size in sizes if size > 1]
        if len(set(known)) < 2:
            continue
        label = shared.setdefault(tuple(sizes), f"{source}_{place}".replace(".", "_"))
        found[source][place] = (label, min(known), max(known))
    return dict(found)


def _columns(session: Any, name: str) -> dict[tuple[str, int], list[int]]:
    numbers = {place for place, item in enumerate(session.callables) if name in ("", item.name)}
    signatures = {
        event.signature
        for event in session.events
        if type(event).__name__ == "Called" and event.callable in numbers
        and event.signature is not None and event.signature < len(session.signatures)
    }  # fmt: skip
    columns: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number in sorted(signatures):
        for item in session.signatures[number].inputs:
            # Parts of a list or an object have no place in a mapping by argument names.
            if item.source.isidentifier():
                for place, size in enumerate(item.shape or ()):
                    columns[item.source, place].append(size)
    return columns
