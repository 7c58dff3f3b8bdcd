"""A program that is being recorded: started by `probe` in a process of its own, watched here.

The recorder does not depend on the screen: it is a plain `compilescope probe`, which saves the
session when the program ends, whether anybody looks or not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import RichLog

from compilescope.errors import CompilescopeError, ProgramError
from compilescope.probe.raw import LAUNCH
from compilescope.tui.sources import Opened, is_running, open_session

if TYPE_CHECKING:
    from textual.timer import Timer

    from compilescope.tui.screens.session import SessionScreen

_EVERY = 0.5  # seconds between looks
_SHARE = 5  # reading may take one part in so many of the time
_MOST_OUTPUT = 400_000  # bytes of output that are shown of what came since the last look
_PATIENCE = 10.0


@dataclass
class Live:
    """One program that is recorded while it runs."""

    raw: Path
    output: Path  # where the session goes
    log: Path | None = None  # what the program prints
    recorder: subprocess.Popen[bytes] | None = None
    kept: bool = False  # the user left it running
    _screen: SessionScreen | None = None
    _timer: Timer | None = None
    _seen: tuple[tuple[str, int], ...] = ()
    _read_to: int = 0
    _rest: str = ""
    _skip: int = 0
    _busy: bool = False
    _over: bool = False
    lines: list[str] = field(default_factory=list)

    def is_running(self) -> bool:
        """Whether the program, or what records it, has not ended."""
        if self.recorder is not None:
            return self.recorder.poll() is None
        return is_running(self.raw)

    def stop(self) -> None:
        """Ask the program to end, as Ctrl-C would; the recorder then saves the session."""
        if self.recorder is not None and self.is_running():
            with suppress(OSError):
                self.recorder.send_signal(signal.SIGINT)

    def wait(self) -> int | None:
        """The program's exit code; None where it goes on."""
        if self.recorder is None:
            return None
        try:
            return self.recorder.wait(0 if self.kept else _PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def begin(self, screen: SessionScreen) -> None:
        """Keep `screen` up to date from now on."""
        self._screen = screen
        self._timer = screen.set_interval(_EVERY, self._look)

    def _look(self) -> None:
        assert self._screen is not None
        self._follow_output()
        if self._over or self._busy or self._screen.paused:
            return
        if self._skip > 0:
            self._skip -= 1
            return
        ended = not self.is_running()
        sizes = _sizes(self.raw)
        if sizes == self._seen and not ended:
            self._screen.draw_head()
            return
        self._seen, self._busy = sizes, True
        self._screen.run_worker(lambda: self._read(ended=ended), thread=True, group="live")

    def _read(self, *, ended: bool) -> None:
        from time import monotonic

        assert self._screen is not None
        start = monotonic()
        try:
            found = open_session(self.output if ended and self.output.exists() else self.raw)
        except CompilescopeError as error:
            if ended:
                self._screen.app.call_from_thread(self._failed, error)
            self._busy = False
            return
        self._skip = int((monotonic() - start) * _SHARE / _EVERY)
        self._screen.app.call_from_thread(self._show, found, ended=ended)

    def _show(self, found: Opened, *, ended: bool) -> None:
        assert self._screen is not None
        self._busy = False
        self._over = ended
        if not ended:
            found = Opened(self.output, found.session, found.diagnosis)
        self._screen.path = found.path
        self._screen.show(found)
        if ended:
            self._screen.notify(f"the program has ended; saved in {self.output}", timeout=6)

    def _failed(self, error: CompilescopeError) -> None:
        assert self._screen is not None
        self._over = True
        said = "\n".join(self.lines[-8:])
        self._screen.fail(ProgramError("nothing was recorded", cause=str(error), hint=said))

    def _follow_output(self) -> None:
        assert self._screen is not None
        if self.log is None:
            return
        with suppress(OSError), self.log.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(self._read_to, size - _MOST_OUTPUT))
            data = file.read(size - file.tell())
            self._read_to = size
            self._write(data.decode("utf-8", "replace"))

    def _write(self, text: str) -> None:
        assert self._screen is not None
        if not text:
            return
        *lines, self._rest = (self._rest + text).replace("\r\n", "\n").split("\n")
        pane = self._screen.query_one(RichLog)
        for line in lines:
            # Of a progress bar, which returns to the start of its line, the last state counts.
            shown = line.rsplit("\r", 1)[-1]
            self.lines.append(shown)
            pane.write(Text.from_ansi(shown))
        del self.lines[:-50]


def start(
    command: Sequence[str], options: Sequence[str], output: Path, raw: Path, log: Path
) -> Live:
    """Begin to record a program; what it prints goes to `log`.

    Raises:
        ProgramError: no process can be started.
    """
    arguments = [sys.executable, "-m", "compilescope", "probe", "-q", "-o", str(output)]
    arguments += ["--keep-raw", str(raw), *options, *command]
    try:
        with log.open("wb") as file:
            recorder = subprocess.Popen(  # noqa: S603  running the user's command is the task
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise ProgramError(
            "cannot start the recorder", cause=error.strerror or str(error)
        ) from error
    return Live(raw, output, log, recorder)


def _sizes(raw: Path) -> tuple[tuple[str, int], ...]:
    found = []
    with suppress(OSError):
        for folder in (raw, raw / "trace"):
            found += [(str(path), path.stat().st_size) for path in sorted(folder.iterdir())]
    return tuple(found) if (raw / LAUNCH).exists() else ()
