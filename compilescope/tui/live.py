"""A program that is being recorded: started by `probe` in a process of its own, watched here.

The recorder does not depend on the screen: it is a plain `compilescope probe`, which saves the
session when the program ends, whether anybody looks or not.
"""

from __future__ import annotations

import glob
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import RichLog

from compilescope import store
from compilescope.errors import InputError, ProgramError
from compilescope.tui.sources import (
    HOME,
    Opened,
    explained,
    is_raw,
    is_running,
    open_session,
    saved_as,
)
from compilescope.tui.views.words import short

if TYPE_CHECKING:
    from compilescope.probe.growing import GrowingSession
    from compilescope.tui.screens.session import SessionScreen

_EVERY = 0.5  # seconds between looks
_SHARE = 5  # reading may take one part in so many of the time
_MOST_OUTPUT = 400_000  # bytes of output that are shown of what came since the last look
_PATIENCE = 10.0
_MOST_LATE = 10  # looks that a recorder may take to save


@dataclass
class Live:
    """One program that is recorded while it runs."""

    output: Path  # where the session goes
    raw: Path | None = None  # the record while it grows; found once the recorder made it
    log: Path | None = None  # what the program prints
    recorder: subprocess.Popen[bytes] | None = None
    kept: bool = False  # the user left it running
    lines: list[str] = field(default_factory=list)  # the last that it printed
    _screen: SessionScreen | None = None
    _read_to: int = 0
    _rest: str = ""
    _skip: int = 0
    _busy: bool = False
    _over: bool = False
    _late: int = 0
    _growing: GrowingSession | None = None

    def is_running(self) -> bool:
        """Whether the program, or what records it, has not ended."""
        if self.recorder is not None:
            return self.recorder.poll() is None
        return self.raw is not None and is_running(self.raw)

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
        told = (
            f"What the program prints is kept in {short(str(self.log))}"
            if self.log is not None
            else "What the program prints is where it was started."
        )
        screen.query_one(RichLog).write(Text(told, "dim"))
        screen.set_interval(_EVERY, self.look)

    def look(self) -> None:
        """Read what is new, unless the view is paused or the last reading is not done."""
        assert self._screen is not None
        self._follow_output()
        if self._over or self._busy or self._screen.paused:
            return
        ended = not self.is_running()
        if self._skip > 0 and not ended:
            self._skip -= 1
            return
        self._find_raw()
        self._busy = True
        self._screen.run_worker(lambda: self._read(ended=ended), thread=True, group="live")

    def _find_raw(self) -> None:
        if self.raw is None or not self.raw.exists():
            found = self.output.parent.glob(f".{glob.escape(self.output.name)}.*.raw")
            self.raw = next((path for path in found if is_raw(path)), self.raw)

    def _read(self, *, ended: bool) -> None:
        assert self._screen is not None
        start = monotonic()
        saved = ended and self.output.exists()
        if ended and not saved and self.recorder is None and self._late < _MOST_LATE:
            # Somebody else's recorder has still to save what it has.
            self._late += 1
            self._busy = False
            return
        try:
            found = self._whole(saved=saved) if ended else self._so_far()
        except Exception as error:  # noqa: BLE001  half a record, or a folder that just goes
            self._growing = None
            if ended:
                self._screen.app.call_from_thread(self._failed, error)
            self._busy = False
            return
        self._skip = int((monotonic() - start) * _SHARE / _EVERY)
        if found is None:
            self._busy = False
            self._screen.app.call_from_thread(self._screen.draw_head)
        else:
            self._screen.app.call_from_thread(self._show, found, ended=ended)

    def _whole(self, *, saved: bool) -> Opened:
        self._growing = None
        return open_session(self.output if saved or self.raw is None else self.raw)

    def _so_far(self) -> Opened | None:
        from compilescope.probe.growing import GrowingSession

        if self.raw is None or not is_raw(self.raw):
            return None
        if self._growing is None or self._growing.folder != self.raw:
            self._growing = GrowingSession(self.raw)
        session = self._growing.read()
        return None if session is None else explained(self.raw, session)

    def _show(self, found: Opened, *, ended: bool) -> None:
        assert self._screen is not None
        self._busy = False
        self._over = ended
        self._screen.path = self.output
        self._screen.show(Opened(self.output, found.session, found.diagnosis))
        if ended and self.output.exists():
            self._screen.notify(f"the program has ended; saved in {self.output}", timeout=6)

    def _failed(self, error: Exception) -> None:
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
    command: Sequence[str],
    name: str,
    *,
    output: Path | None = None,
    keep_raw: Path | None = None,
    options: Sequence[str] = (),
) -> Live:
    """Begin to record a program; what it prints goes to a file beside the session.

    Raises:
        ProgramError: no process can be started.
        InputError: the folder of the session cannot be written.
    """
    output = output or _dated(name)
    log = _log_of(output)
    arguments = [sys.executable, "-m", "compilescope", "probe", "-q", "-o", str(output)]
    arguments += ["--keep-raw", str(keep_raw)] if keep_raw else []
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        file = log.open("wb")
    except OSError as error:
        cause = error.strerror or str(error)
        raise InputError(f"cannot write {log}", cause=cause, hint="-o names a session") from error
    with file:
        try:
            recorder = subprocess.Popen(  # noqa: S603  running the user's command is the task
                [*arguments, *options, *command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            cause = error.strerror or str(error)
            raise ProgramError("cannot start the recorder", cause=cause) from error
    return Live(output, keep_raw, log, recorder)


def attach(raw: Path) -> Live:
    """Watch a program that was started elsewhere, or from here and left running."""
    output = saved_as(raw)
    log = _log_of(output)
    return Live(output, raw, log if log.exists() else None)


def _log_of(output: Path) -> Path:
    stem = output.name.removesuffix(".gz").removesuffix(".cscope.json")
    return output.with_name(f"{stem}.out.txt")


def _dated(name: str) -> Path:
    stem = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return Path(HOME) / f"{stem.removesuffix('.py') or 'program'}-{stamp}{store.SUFFIX}"
