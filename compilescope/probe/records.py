"""The agent's files, read back: one process each, whatever happened to it."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENTRY = struct.Struct("<IIqq")
_NAME = re.compile(r"agent-(\d+)\.jsonl")


@dataclass(frozen=True)
class CallRecord:
    """One call as the agent wrote it; times in nanoseconds of the process's own clock."""

    callable: int
    index: int
    start: int
    duration: int
    compiles: tuple[str, ...] = ()
    signature: int | None = None
    eager: bool = False
    thread: int = 0
    error: str = ""
    peak: int | None = None


@dataclass
class ProcessRecord:
    """What one agent wrote, from its first line to the last one that is whole."""

    pid: int
    notes: list[dict[str, Any]] = field(default_factory=list)
    callables: dict[int, dict[str, Any]] = field(default_factory=dict)
    signatures: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    calls: list[CallRecord] = field(default_factory=list)
    device: dict[tuple[int, int], int] = field(default_factory=dict)  # nanoseconds of each call
    wall_ns: int = 0
    clock_ns: int = 0
    damaged: int = 0

    def first(self, record: str) -> dict[str, Any]:
        """The first note of this sort, {} where there is none."""
        return next((note for note in self.notes if note.get("record") == record), {})

    def all(self, record: str) -> list[dict[str, Any]]:
        """The notes of this sort, in order."""
        return [note for note in self.notes if note.get("record") == record]

    def wall(self, clock: int) -> float:
        """Unix seconds for a reading of the process's clock."""
        return (self.wall_ns + clock - self.clock_ns) / 1e9


def read(folder: Path) -> list[ProcessRecord]:
    """The records of every process in `folder`, in the order in which they began."""
    return GrowingRecords(folder).read(ended=True)


class GrowingRecords:
    """The records in a folder that may still be written to: each byte is read once.

    Attributes:
        taken: Bytes that were read so far.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken = 0
        self._files: dict[Path, list[ProcessRecord]] = {}
        self._read_to: dict[Path, int] = {}

    def read(self, *, ended: bool = False) -> list[ProcessRecord]:
        """The records so far; `ended` says that what is half a line now stays so."""
        for path in sorted(self.folder.glob("agent-*.jsonl")):
            match = _NAME.fullmatch(path.name)
            if match:
                self._lines(path, int(match.group(1)), ended=ended)
        found = [record for records in self._files.values() for record in records]
        for record in found:
            for note in record.all("entries"):
                path = self.folder / Path(note["file"]).name
                self._entries(path, note["kind"], record, ended=ended)
            record.calls.sort(key=lambda call: call.start)
        found.sort(key=lambda record: record.wall_ns)
        _inherit(found)
        return found

    def _lines(self, path: Path, pid: int, *, ended: bool) -> None:
        records = self._files.setdefault(path, [])
        with path.open("rb") as file:
            file.seek(self._read_to.get(path, 0))
            for line in file:
                if not ended and not line.endswith(b"\n"):
                    break
                self._step(path, len(line))
                if line.startswith(b'{"pid"') or not records:
                    records.append(ProcessRecord(pid))
                record = records[-1]
                try:
                    _read_line(line, record)
                except (ValueError, KeyError, TypeError):
                    record.damaged += 1

    def _entries(self, path: Path, kind: str, record: ProcessRecord, *, ended: bool) -> None:
        """The steady calls, and the device's times, that the agent kept out of its lines."""
        try:
            with path.open("rb") as file:
                file.seek(self._read_to.get(path, 0))
                data = file.read()
        except OSError:
            record.damaged += ended
            return
        for number, index, start, duration in _ENTRY.iter_unpack(data[: len(data) // 24 * 24]):
            # The rest of the file waits for entries, which come one after the other.
            if not start or not (duration or ended or kind == "device"):
                break
            self._step(path, _ENTRY.size)
            _take(record, kind, number, index, start, duration)

    def _step(self, path: Path, size: int) -> None:
        self._read_to[path] = self._read_to.get(path, 0) + size
        self.taken += size


def _take(
    record: ProcessRecord, kind: str, number: int, index: int, start: int, duration: int
) -> None:
    if kind == "device":
        record.device[number, index] = duration
    elif duration:
        record.calls.append(CallRecord(number, index, start, duration))
    else:
        record.damaged += 1


def _read_line(line: bytes, record: ProcessRecord) -> None:
    if line.startswith(b"C "):
        if not line.endswith(b"\n"):
            raise ValueError("cut short")
        _, number, index, start, duration = line.split()
        record.calls.append(CallRecord(int(number), int(index), int(start), int(duration)))
        return
    if line.startswith(b"D "):
        _, number, index, _, duration = line.split()
        record.device[int(number), int(index)] = int(duration)
        return
    note: dict[str, Any] = msgspec.json.decode(line)
    kind = note["record"]
    if kind == "call":
        record.calls.append(_call(note))
    elif kind == "callable":
        record.callables[note["id"]] = note
    elif kind == "signature":
        record.signatures[note["id"]] = note["inputs"]
    else:
        if kind == "process":
            record.wall_ns, record.clock_ns = note["wall_ns"], note["clock_ns"]
        record.notes.append(note)


def _call(note: dict[str, Any]) -> CallRecord:
    return CallRecord(
        callable=note["c"],
        index=note["i"],
        start=note["t"],
        duration=note["d"],
        compiles=tuple(note.get("ids", ())),
        signature=note.get("sig"),
        eager=note.get("eager", False),
        thread=note.get("thread", 0),
        error=note.get("error", ""),
        peak=note.get("peak"),
    )


def _inherit(records: Sequence[ProcessRecord]) -> None:
    """Give forked processes what their parents had defined before the fork."""
    by_pid: dict[int, ProcessRecord] = {}
    for record in records:
        parent = by_pid.get(record.first("process").get("forked_from") or -1)
        if parent is not None:
            record.callables = {**parent.callables, **record.callables}
            record.signatures = {**parent.signatures, **record.signatures}
            if not record.first("torch") and parent.first("torch"):
                record.notes.append(parent.first("torch"))
            if not record.first("settings") and parent.first("settings"):
                record.notes.append(parent.first("settings"))
        by_pid[record.pid] = record
