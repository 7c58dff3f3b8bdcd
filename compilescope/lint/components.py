"""Which files can know of each other: the unit in which sources are analysed and cached.

A file's findings depend on what it imports and on what imports it, directly or not. Files are put
together when one names the other in an import, by its last name; too much is joined rather than
too little.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"\w+")


def components(sources: Mapping[str, str], most: int) -> list[dict[str, str]]:
    """The sources in at most `most` groups, none of which can know of another."""
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for path in sources:
        by_name[_last_name(path)].append(path)
    leader = {path: path for path in sources}

    def root(path: str) -> str:
        while leader[path] != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    for path, text in sources.items():
        for name in imported_names(text):
            for other in by_name.get(name, ()):
                leader[root(other)] = root(path)
    groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, text in sources.items():
        groups[root(path)][path] = text
    return _merged(groups.values(), most)


def crosses(groups: Sequence[Mapping[str, str]], read: Iterable[Collection[str]]) -> bool:
    """Whether a group read a file of another, by way of files that are not among the sources.

    Then the groups have to be analysed together.
    """
    every = {path for group in groups for path in group}
    return any(
        path in every and path not in group
        for group, paths in zip(groups, read, strict=True)
        for path in paths
    )


def imported_names(text: str) -> set[str]:
    """Every name that stands in an import of `text`."""
    names: set[str] = set()
    for match in _IMPORT.finditer(text):
        for part in match.groups():
            if part:
                names.update(_NAME.findall(part))
    return names


def _last_name(path: str) -> str:
    folder, file = os.path.split(path)
    stem = file.partition(".")[0]
    return os.path.basename(folder) if stem == "__init__" else stem


def _merged(groups: Iterable[dict[str, str]], most: int) -> list[dict[str, str]]:
    """No more than `most` groups, the smallest put together."""
    ordered = sorted(groups, key=lambda group: (-sum(map(len, group.values())), min(group)))
    kept = ordered[:most]
    for index, group in enumerate(ordered[most:]):
        kept[most - 1 - index % most].update(group)
    return kept
