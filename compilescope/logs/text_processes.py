"""Which processes wrote a text log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from compilescope.logs.text_story import Owner
from compilescope.model import Process

_LARGEST_PID = 4_194_304  # of Linux; before 2.5 a line carried its thread's id instead


class Processes:
    """The processes of a log; pid 0 stands for one that the log does not name."""

    def __init__(self, owners: Iterable[Owner]) -> None:
        self._ranks: dict[tuple[str, int], int | None] = {}
        self._index: dict[Owner, int] = {}
        self._listed: list[tuple[int, int | None]] = []
        listed = list(owners)
        for stream, rank, pid in listed:
            if _is_pid(pid) and self._ranks.get((stream, pid)) is None:
                self._ranks[stream, pid] = rank
        for owner in listed:
            self.index(owner)

    def index(self, owner: Owner) -> int:
        """The process that `owner` is; one without an id is the only one that it can be."""
        if owner in self._index:
            return self._index[owner]
        stream, rank, pid = owner
        if _is_pid(pid):
            key: Owner = (stream, self._ranks.get((stream, pid), rank), pid)
        else:
            key = self._only_one(stream, rank) or (stream, rank, None)
        if key not in self._index:
            self._index[key] = len(self._listed)
            self._listed.append((key[2] or 0, key[1]))
        self._index[owner] = self._index[key]
        return self._index[owner]

    def listed(self) -> list[Process]:
        """All processes, in the order of their numbers."""
        return [Process(pid=pid, rank=rank) for pid, rank in self._listed]

    def _only_one(self, stream: str, rank: int | None) -> Owner | None:
        found = [
            (owner, known, pid)
            for (owner, pid), known in self._ranks.items()
            if owner == stream and (rank is None or known in (rank, None))
        ]
        return found[0] if len(found) == 1 else None


def _is_pid(number: int | None) -> TypeGuard[int]:
    return number is not None and number <= _LARGEST_PID
