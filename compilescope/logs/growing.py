"""Structured traces that are still written to: each byte is read once."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.logs import structured, trace_files
from compilescope.logs.clock import Clock
from compilescope.logs.log import Log
from compilescope.logs.trace_reader import TraceReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BLOCK = 16 << 20


@dataclass
class _Growing:
    """One file, and how far it was read."""

    path: Path
    reader: TraceReader
    read_to: int = 0
    size: int = -1  # at the last look

    def read_on(self) -> None:
        """Take in the records that are whole by now.

        The last one is, once another has begun or nothing has come for a whole look.
        """
        with self.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            quiet, self.size = size == self.size, size
            file.seek(self.read_to)
            data = b""
            while self.read_to + len(data) < size:
                more = file.read(min(_BLOCK, size - self.read_to - len(data)))
                if not more:
                    break
                data += more
                at_end = self.read_to + len(data) >= size
                whole = len(data) if quiet and at_end else _whole(data)
                self.reader.read(io.BytesIO(data[:whole]).read)
                self.read_to += whole
                data = data[whole:]


class GrowingTraces:
    """The trace files of a program that runs."""

    def __init__(self) -> None:
        self._files: dict[Path, _Growing] = {}

    @property
    def taken(self) -> int:
        """Bytes that were read so far."""
        return sum(file.read_to for file in self._files.values())

    def take(self, paths: Sequence[Path]) -> None:
        """Read on in `paths`, which are files as torch writes them, not compressed.

        Raises:
            OSError: a file cannot be read.
        """
        for path in paths:
            if path not in self._files:
                reader = TraceReader(Clock(path.stat().st_mtime), trace_files.rank_of(path))
                self._files[path] = _Growing(path, reader)
            self._files[path].read_on()

    def log(self) -> Log:
        """The events so far."""
        readers = [file.reader for file in self._files.values()]
        return structured.log_of([reader for reader in readers if reader.count.kinds])

    def read(self, paths: Sequence[Path]) -> Log:
        """Read on in `paths`: the events so far.

        Raises:
            OSError: a file cannot be read.
        """
        self.take(paths)
        return self.log()


def _whole(data: bytes) -> int:
    """Where the last record of `data` begins: those before it are whole."""
    at = len(data) - 1
    while (at := data.rfind(b"\n", 0, at)) >= 0:
        if data[at + 1] != 0x09:
            return at + 1
    return 0
