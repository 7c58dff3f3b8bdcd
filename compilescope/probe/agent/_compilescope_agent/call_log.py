"""Steady calls, written into a file that lies in memory: no system call, and a crash loses none.

The system keeps what was written when the process is killed. Where such a file cannot be made, a
line of text goes to the record instead, which costs a system call each.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record import Record

ENTRY = struct.Struct("<IIqq")  # callable, index, start, duration; a start of 0 is no entry
_STEP = 3 * 4096  # whole pages and whole entries
_FIRST = 5 * _STEP
_LARGEST = 320 * _STEP


class CallLog:
    """Appends entries of four numbers; not to be used by two threads at once."""

    def __init__(self, record: Record, kind: str, text: bytes) -> None:
        self._record = record
        self._kind = kind
        self._text = text  # how an entry is written as a line
        self._map: mmap.mmap | None = None
        self._at = self._end = 0
        self._chunk = _FIRST
        self._offset = 0  # of the part of the file that is in memory
        self._path = ""
        self._works = True
        record.on_fork(self._after_fork)

    def add(self, number: int, index: int, start: int, duration: int) -> None:
        """Append one entry."""
        if self._at >= self._end and not self._grow():
            self._record.write(self._text % (number, index, start, duration))
            return
        at = self._at  # in the part of the file that is in memory now
        ENTRY.pack_into(self._map, at, number, index, start, duration)  # type: ignore[arg-type]
        self._at = at + ENTRY.size

    def _grow(self) -> bool:
        if not self._works:
            return False
        try:
            if not self._path:
                name = f"{self._kind}-{self._record.pid}-{self._record.clock_ns}.bin"
                self._path = os.path.join(self._record.folder, name)
                self._record.note("entries", kind=self._kind, file=name)
            else:
                self._offset += self._chunk
                self._chunk = min(self._chunk * 2, _LARGEST)
            self._take()
        except (OSError, ValueError, AttributeError) as error:
            self._works = False
            self._at = self._end = 0
            self._record.trouble("call log", error)
        return self._works

    def _take(self) -> None:
        """Bring the next part of the file into memory."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(self._path, flags, 0o666)
        try:
            # Space must be there before it is written to: a full disk would end the program.
            os.posix_fallocate(descriptor, self._offset, self._chunk)
            self._map = mmap.mmap(descriptor, self._chunk, offset=self._offset)
        finally:
            os.close(descriptor)
        self._at = 0
        self._end = self._chunk

    def _after_fork(self) -> None:
        self._map = None  # the parent's
        self._path = ""
        self._at = self._end = self._offset = 0
        self._chunk = _FIRST
