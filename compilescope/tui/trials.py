"""Trials that run beside the screen: started, read as they come, stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from compilescope.errors import ProgramError
from compilescope.model import Proof
from compilescope.probe.raw import END, LAUNCH
from compilescope.tui.sources import tuned_path
from compilescope.tui.tried import News, Order, Tried

if TYPE_CHECKING:
    from compilescope.tui.program import Program

_PATIENCE = 12.0  # seconds that a program has to end after it was asked to


class Trials:
    """One search for remedies, in a process of its own."""

    def __init__(self, program: Program, path: Path, causes: tuple[str, ...], runs: int) -> None:
        """Begin.

        Raises:
            ProgramError: no process can be started.
        """
        self.program, self.path = program, path
        self.tried = Tried(causes, running=True, since=monotonic())
        self.proofs: tuple[Proof, ...] = ()
        self._rest = b""
        self._asked = self._swept = False
        self.folder = Path(tempfile.mkdtemp(prefix="compilescope-trials-"))
        order = Order(
            program.command, program.name, str(program.folder), causes, runs,
            result=str(tuned_path(path)),
        )  # fmt: skip
        told = self.folder / "order.json"
        told.write_bytes(msgspec.json.encode(order))
        news, errors = self.folder / "news.jsonl", self.folder / "errors.txt"
        with news.open("wb") as out, errors.open("wb") as err:
            try:
                self.process = subprocess.Popen(  # noqa: S603  the program of the session
                    [sys.executable, "-m", "compilescope.tui.trials_child", str(told)],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=self.folder,  # modules beside the user's program are not ours
                    start_new_session=True,
                )
            except OSError as error:
                cause = error.strerror or str(error)
                raise ProgramError("cannot start the trials", cause=cause) from error
        self._news = news.open("rb")

    def look(self) -> bool:
        """Take in what was said since the last time; whether there was anything."""
        ended = self.process.poll() is not None
        if ended:
            self._sweep()
        *lines, self._rest = (self._rest + self._news.read()).split(b"\n")
        before = self.tried
        for line in lines:
            news = msgspec.json.decode(line, type=News)
            self.tried = replace(self.tried.after(news), since=monotonic())
            self.proofs = news.proofs or self.proofs
        if ended and self.tried.running:
            said = (self.folder / "errors.txt").read_text(errors="replace").strip().splitlines()
            why = said[-1] if said else f"code {self.process.returncode}"
            self.tried = self.tried.after(News(error=f"the trials ended early: {why}"))
        return self.tried is not before

    def stop(self) -> None:
        """Ask the trials to end and say what they know; asked again, end them at once."""
        if self.process.poll() is None:
            if self._asked or os.name == "nt":
                self._sweep()
            else:
                self.process.send_signal(signal.SIGINT)  # it hands it on to the program itself
        self._asked = True

    def close(self) -> None:
        """End what still runs, and leave nothing behind."""
        if self.process.poll() is None:
            self.stop()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_PATIENCE)
        self._sweep()
        self.process.wait()
        self._news.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _sweep(self) -> None:
        """End whatever is left, also a program that outlived the process which made the trials.

        Once only: later the number of the group may be somebody else's.
        """
        if self._swept:
            return
        self._swept = True
        with suppress(OSError):
            self.process.kill()
        for program in self._programs():
            with suppress(OSError):
                end_group(program)

    def _programs(self) -> Iterator[int]:
        """The runs of the program that have not ended, each a group of processes of its own."""
        for launch in self.folder.glob(f"*.raw/{LAUNCH}"):
            if not launch.with_name(END).exists():
                with suppress(OSError, ValueError, KeyError):
                    yield int(json.loads(launch.read_bytes())["pid"])


def end_group(number: int) -> None:
    """End a process and those that it started."""
    if os.name == "nt":
        os.kill(number, signal.SIGTERM)
    else:
        os.killpg(number, signal.SIGKILL)
