"""The part of compilescope that runs inside the probed program: standard library only.

It writes what it sees to one append-only file a process, `agent-<pid>.jsonl` in the folder that
COMPILESCOPE_RAW names. Nothing in here may raise into the program or print.
"""

from __future__ import annotations

import os


def start() -> None:
    """Begin to watch this process, if the launcher asked for it."""
    folder = os.environ.get("COMPILESCOPE_RAW")
    if not folder:
        return
    from . import process, torch_imports
    from .record import Record

    record = Record(folder)
    if os.environ.get("COMPILESCOPE_OVERLAY"):
        from . import overlay

        overlay.current()
    process.watch(record)
    torch_imports.watch(record)
