"""What the program reads from its standard input, kept so that each run gets the same."""

from __future__ import annotations

import os
import select
import stat
import sys
from contextlib import suppress
from pathlib import Path

_PATIENCE = 0.3  # seconds in which a pipe must show that something comes through it


def spooled(folder: Path) -> Path:
    """A file with all of our own input; the null device where there is none, or a terminal."""
    nothing = Path(os.devnull)
    with suppress(OSError, ValueError):
        descriptor = sys.stdin.fileno()
        mode = os.fstat(descriptor).st_mode
        waiting = stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and _comes(descriptor))
        if waiting:
            path = folder / "stdin"
            path.write_bytes(sys.stdin.buffer.read())
            return path if path.stat().st_size else nothing
    return nothing


def _comes(descriptor: int) -> bool:
    with suppress(OSError):  # Windows can ask sockets only
        return bool(select.select([descriptor], [], [], _PATIENCE)[0])
    return False
