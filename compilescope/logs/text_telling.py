"""The making of a text log's events: what is settled so far, and what belongs to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compilescope.logs.text_processes import Processes
from compilescope.logs.text_story import Story, Told
from compilescope.model import Compiled, Event, Frame, Gap, GuardFailure

Key = tuple[int, str]  # process, compile id


@dataclass
class Rejected:
    """A recompilation in the making."""

    told: Told
    process: int
    compile_id: str
    frame: Frame
    failures: tuple[GuardFailure, ...]
    refused: bool = False
    prevented: bool = False  # an exception came instead of another compile


@dataclass
class Telling:
    """Makes the events."""

    story: Story
    offset: float
    processes: Processes
    placed: list[tuple[int, int, Event]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    compiled: dict[Key, tuple[int, Compiled]] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    unnamed: dict[tuple[int, Frame], int] = field(default_factory=dict)

    def next_id(self, process: int, frame: Frame, failures: Sequence[GuardFailure] = ()) -> str:
        """The id of a compile whose record has none: the one after its function's entries.

        Where the entries have none either it is made up, and begins with `?`.
        """
        entries = [failure.entry.rpartition("/") for failure in failures if failure.entry]
        if entries and len({entry[0] for entry in entries}) == 1:
            return f"{entries[0][0]}/{max(int(entry[2]) for entry in entries) + 1}"
        key = (process, frame)
        count = self.unnamed[key] = self.unnamed.get(key, 0 if failures else -1) + 1
        return f"?{list(self.unnamed).index(key)}/{count}"

    def put(self, told: Told, event: Event) -> None:
        """Place `event` where it was told."""
        self.placed.append((told.number, 1, event))

    def process(self, told: Told) -> int:
        """The number of the process that told it."""
        return self.processes.index(told.owner)

    def unix(self, told: Told) -> float | None:
        """When it was told, in Unix seconds."""
        return None if told.at is None else round(told.at + self.offset, 6)
