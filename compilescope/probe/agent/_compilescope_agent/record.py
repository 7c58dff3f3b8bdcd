"""The file that this process appends to: one `os.write` a line, so that a crash loses nothing."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
_MOST_TROUBLES = 50


class Record:
    """Appends lines to this process's file; never raises, never prints."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.pid = os.getpid()
        self.forked_from: int | None = None
        # Two clocks read together: calls are timed by the second and placed by the first.
        self.wall_ns = time.time_ns()
        self.clock_ns = time.perf_counter_ns()
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None
        self._closed = False
        self._troubles: dict[str, int] = {}
        self._forks: list[Callable[[], None]] = []
        self.saw_cudagraphs = False

    def on_fork(self, action: Callable[[], None]) -> None:
        """Run `action` in each forked child, before anything is written there."""
        self._forks.append(action)

    @property
    def is_open(self) -> bool:
        """Whether anything was written for this process."""
        return self._descriptor >= 0

    def write(self, line: bytes) -> None:
        """Append `line`, which ends in a newline."""
        if self._descriptor < 0 and not self._open():
            return
        try:
            os.write(self._descriptor, line)
        except OSError:
            self._write_anew(line)

    def note(self, record: str, **fields: Any) -> None:
        """Append a JSON line; the fields must be plain values."""
        fields["record"] = record
        try:
            text = json.dumps(fields, default=str, ensure_ascii=True, separators=(",", ":"))
        except Exception as error:  # noqa: BLE001
            text = json.dumps({"record": "trouble", "where": record, "text": repr(error)[:300]})
        self.write(text.encode() + b"\n")

    def trouble(self, where: str, error: BaseException) -> None:
        """Say that the agent itself failed at `where`; repeated failures are written once."""
        times = self._troubles.get(where, 0) + 1
        self._troubles[where] = times
        if times == 1 and len(self._troubles) < _MOST_TROUBLES:
            text = f"{type(error).__name__}: {error}"[:300]
            self.note("trouble", where=where, text=text)

    def close(self) -> None:
        """Write nothing more."""
        self._closed = True
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def after_fork(self) -> None:
        """Begin a file of our own in a forked child; the parent's stays the parent's."""
        if self._descriptor >= 0:
            try:
                if self._is_ours():
                    os.close(self._descriptor)
            except OSError:
                pass
        self.forked_from = self.pid
        self.pid = os.getpid()
        self._descriptor = -1
        self._closed = False
        self._troubles = {}
        for action in self._forks:
            action()

    def _open(self) -> bool:
        if self._closed:
            return False
        try:
            path = os.path.join(self.folder, f"agent-{self.pid}.jsonl")
            self._descriptor = os.open(path, _FLAGS, 0o666)
            status = os.fstat(self._descriptor)
            self._identity = (status.st_dev, status.st_ino)
        except OSError:
            self._closed = True
            return False
        self.note(
            "process",
            pid=self.pid,
            parent=os.getppid(),
            forked_from=self.forked_from,
            command=[str(part) for part in getattr(sys, "orig_argv", sys.argv)][:200],
            at=self.wall_ns / 1e9,
            wall_ns=self.wall_ns,
            clock_ns=self.clock_ns,
            python=sys.version.split()[0],
            folder=os.getcwd(),
        )
        return True

    def _is_ours(self) -> bool:
        status = os.fstat(self._descriptor)
        return (status.st_dev, status.st_ino) == self._identity

    def _write_anew(self, line: bytes) -> None:
        # A program that closes every descriptor (a daemon) closes ours too.
        self._descriptor = -1
        try:
            path = os.path.join(self.folder, f"agent-{self.pid}.jsonl")
            self._descriptor = os.open(path, _FLAGS, 0o666)
            os.write(self._descriptor, line)
        except OSError:
            self._descriptor = -1
            self._closed = True
