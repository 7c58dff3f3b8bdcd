"""The records of one trace file, gathered by process and compile."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from compilescope.logs import trace_handlers, trace_symbols
from compilescope.logs.records import records
from compilescope.logs.stacks import own_frame
from compilescope.logs.trace_compiles import Compile
from compilescope.logs.trace_events import Message
from compilescope.logs.trace_headers import Header
from compilescope.logs.trace_kinds import IGNORED
from compilescope.model import Frame
from compilescope.paths import is_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.logs.clock import Clock
    from compilescope.logs.records import Record
    from compilescope.logs.trace_events import Entry
    from compilescope.logs.trace_headers import StackFrame

_ARTIFACT = re.compile(rb'\{ *"artifact": *\{ *"name": *"([^"]*)"')
_HANDLERS = trace_handlers.KINDS | trace_symbols.KINDS
_ARTIFACTS = trace_handlers.ARTIFACTS | trace_symbols.ARTIFACTS
_KNOWN = _HANDLERS.keys() | IGNORED | {b"artifact", b"chromium_event"}
_MD5_LENGTH = 32
_DECODER = msgspec.json.Decoder(Header)


@dataclass
class Track:
    """One process's part of a file."""

    pid: int
    rank: int | None
    first: float | None = None
    compiles: dict[str, Compile] = field(default_factory=dict)
    frames: dict[tuple[int | None, int | None], Frame] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    messages: dict[tuple[str, str, Frame | None], Message] = field(default_factory=dict)


@dataclass
class Count:
    """What was read, and what could not be."""

    kinds: Counter[bytes] = field(default_factory=Counter)
    stray: int = 0
    unreadable: int = 0
    payloads: int = 0
    damaged: int = 0
    unresolved: int = 0


class TraceReader:
    """Reads one file; the attributes are the result.

    Attributes:
        tracks: What each process told, by pid; before torch 2.13 a forked child wrote into its
            parent's file.
        strings: File names by the numbers that stacks use.
        versions: Of torch, Python, CUDA and Triton, by their names in the metrics.
        config: Dynamo's and Inductor's, from the first metrics that have it.
    """

    def __init__(self, clock: Clock, rank: int | None) -> None:
        self.clock = clock
        self.rank = rank
        self.tracks: dict[int, Track] = {}
        self.count = Count()
        self.strings: dict[int, str] = {}
        self.versions: dict[str, str] = {}
        self.config: dict[str, str] = {}

    def read(self, read: Callable[[int], bytes]) -> None:
        """Take in all records."""
        for record in records(read, self):
            self._take(record)

    def wanted(self, kind: bytes, json: bytes) -> bool:
        """Whether a record is of use; a chromium event is until one has told the time."""
        if kind == b"chromium_event":
            return not self.clock.anchored
        if kind == b"artifact":
            name = _ARTIFACT.match(json)
            return name is not None and name[1] in _ARTIFACTS
        return kind in _HANDLERS

    def seen(self, kind: bytes) -> None:
        """Count a record."""
        self.count.kinds[kind] += 1

    def stray(self) -> None:
        """Count a line that belongs to no record."""
        self.count.stray += 1

    @property
    def unknown_kinds(self) -> dict[str, int]:
        """Kinds that this release does not know, with their number."""
        return {
            kind.decode(errors="replace"): number
            for kind, number in self.count.kinds.items()
            if kind not in _KNOWN
        }

    @property
    def paths(self) -> tuple[str, ...]:
        """The user's files that the log names."""
        return tuple(path for path in self.strings.values() if not is_library(path))

    def header(self, record: Record) -> Header:
        """The record's JSON.

        Raises:
            msgspec.DecodeError: it is cut short or has other types than any torch writes.
        """
        return _DECODER.decode(record.json)

    def time(self, record: Record) -> float | None:
        """When the record was written, without year and zone."""
        return self.clock.seconds(record.when)

    def track(self, record: Record, header: Header) -> Track:
        """The process that wrote the record."""
        track = self.tracks.get(record.pid)
        if track is None:
            track = self.tracks[record.pid] = Track(record.pid, self.rank)
            track.first = self.time(record)
        if track.rank is None and header.rank is not None:
            track.rank = header.rank
        return track

    def compile(self, record: Record, header: Header) -> Compile:
        """The compile that the record is about."""
        track = self.track(record, header)
        compile_id = header.compile_id
        compile_ = track.compiles.get(compile_id)
        if compile_ is None:
            compile_ = track.compiles[compile_id] = Compile(compile_id)
        compile_.begin(header.attempt or 0)
        return compile_

    def stack(self, stack: list[StackFrame] | None) -> tuple[Frame, ...]:
        """A stack with its file names, outermost first."""
        return tuple(
            Frame(self._path(item.filename), item.line or 0, item.name, (item.loc or "").strip())
            for item in stack or ()
        )

    def message(
        self,
        record: Record,
        header: Header,
        kind: str,
        text: str,
        stack: list[StackFrame] | None = None,
        *,
        frame: Frame | None = None,
    ) -> None:
        """Note a message; one that repeats is counted."""
        track = self.track(record, header)
        place = frame or own_frame(self.stack(stack))
        earlier = track.messages.get((kind, text, place))
        if earlier is not None:
            earlier.times += 1
            return
        new = Message(kind, text, header.compile_id, self.time(record), place)
        track.messages[kind, text, place] = new
        track.entries.append(new)

    def text(self, record: Record, header: Header) -> str:
        """The payload as text, compared with its checksum."""
        payload = record.payload.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if not self.check(record, header) and record.last:
            payload = payload.rpartition(b"\n")[0] or payload  # half a line misleads
        return payload.decode(errors="replace").replace("\0", "")

    def check(self, record: Record, header: Header) -> bool:
        """Whether the payload agrees with its checksum, where it has one."""
        if header.has_payload is None:
            return True
        self.count.payloads += 1
        intact = not record.dropped and _intact(record.payload, header.has_payload)
        self.count.damaged += not intact
        return intact

    def _take(self, record: Record) -> None:
        handler = _HANDLERS.get(record.kind)
        if handler is None:
            name = _ARTIFACT.match(record.json)
            handler = _ARTIFACTS.get(name[1]) if name else None
        if handler is None:
            return
        try:
            handler(self, record)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.count.unreadable += 1

    def _path(self, filename: int | str | None) -> str:
        if isinstance(filename, str):
            return filename
        if filename is None or filename < 0:
            return ""
        path = self.strings.get(filename)
        if path is None:  # a forked child goes on with its parent's numbers
            self.count.unresolved += 1
            return ""
        return path


def _intact(payload: bytes, checksum: str) -> bool:
    if len(checksum) != _MD5_LENGTH:
        return True  # another algorithm: nothing to compare with
    if _digest(payload) == checksum:
        return True
    # A transfer that rewrote the line ends did no harm.
    return b"\r" in payload and (
        _digest(payload.replace(b"\r\n", b"\n").removesuffix(b"\r")) == checksum
    )


def _digest(payload: bytes) -> str:
    return hashlib.md5(payload, usedforsecurity=False).hexdigest()
