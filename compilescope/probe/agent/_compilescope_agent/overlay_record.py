"""What a trial writes beside the agent's own record: `overlay-<pid>.jsonl`."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from typing import Any


class OverlayRecord:
    """Appends JSON lines; never raises, never prints."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._pid = 0
        self._descriptor = -1
        self._told: set[tuple[str, str]] = set()
        atexit.register(self._memory)

    def note(self, record: str, **fields: Any) -> None:
        """Append one line."""
        try:
            if self._pid != os.getpid():
                self._pid = os.getpid()
                path = os.path.join(self.folder, f"overlay-{self._pid}.jsonl")
                self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
                rank = os.environ.get("RANK", "")
                self.note("process", pid=self._pid, rank=rank, began=time.time_ns())
            fields["record"] = record
            text = json.dumps(fields, default=str, separators=(",", ":"))
            os.write(self._descriptor, text.encode() + b"\n")
        except (OSError, ValueError, TypeError):
            return

    def applied(self, what: str) -> None:
        """Note once that a remedy is in place."""
        self._once("applied", what, "")

    def refused(self, what: str, why: str) -> None:
        """Note once that a remedy could not be applied, and why."""
        self._once("refused", what, why)

    def absent(self, what: str) -> None:
        """Note once that a call does not bring what a remedy is for."""
        self._once("absent", what, "")

    def _once(self, record: str, what: str, why: str) -> None:
        if (record, what) not in self._told:
            self._told.add((record, what))
            self.note(record, what=what, why=why[:500])

    def _memory(self) -> None:
        if self._pid != os.getpid():
            return
        fields: dict[str, Any] = {}
        try:
            import resource

            # Kilobytes, but for macOS.
            unit = 1 if sys.platform == "darwin" else 1024
            fields["rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        except ImportError:  # Windows
            pass
        cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
        if cuda is not None and cuda.is_initialized():
            devices = range(cuda.device_count())
            fields["device"] = sum(cuda.max_memory_allocated(device) for device in devices)
        self.note("memory", **fields)
