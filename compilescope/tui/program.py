"""The program of a session: whether and where it can be run again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.errors import ProgramError
from compilescope.tui.sources import HOME

if TYPE_CHECKING:
    from compilescope.model import Session


@dataclass(frozen=True)
class Program:
    """What to start, and where."""

    command: tuple[str, ...]
    folder: Path
    name: str
    seconds: float | None  # that the recorded run took


def program_of(session: Session, path: Path) -> Program:
    """The program that the session at `path` was recorded from.

    Raises:
        ProgramError: the session does not know it, or it is not on this machine.
    """
    command = session.command
    if session.source != "probe" or not command:
        raise ProgramError(
            "this session does not know its program",
            cause="only `compilescope probe` records the command line",
            hint="compilescope tune script.py",
        )
    if not shutil.which(command[0]):
        raise ProgramError(
            f"{command[0]} is not on this machine",
            cause="it ran the recorded program",
            hint="compilescope tune script.py, with the interpreter that has torch",
        )
    folder = _folder(session, path)
    if folder is None:
        raise ProgramError(
            f"{command[1]} is gone",
            cause="no such file, here or where the session was recorded",
            hint="start the terminal program in the folder of the run",
        )
    return Program(command, folder, session.name or Path(command[0]).name, session.seconds)


def _folder(session: Session, path: Path) -> Path | None:
    """Where the program was started, as far as can be told: where its script is found."""
    beside = path.absolute().parent
    home = beside.parent if beside.name == HOME else beside
    script = _script(session.command)
    if script is None:
        return home
    if os.path.isabs(script):
        return home if os.path.exists(script) else None
    recorded = _recorded(session, script)
    return next((at for at in (*recorded, home, Path.cwd()) if (at / script).exists()), None)


def _script(command: tuple[str, ...]) -> str | None:
    if len(command) < 2 or command[1].startswith("-"):
        return None
    # Of another command than Python's, `-- torchrun train.py`, the first word that is a script.
    return next((word for word in command[1:] if word.endswith(".py")), None) or (
        command[1] if Path(command[0]).name.startswith("python") else None
    )


def _recorded(session: Session, script: str) -> Iterable[Path]:
    """The folders from which the recorded paths reach the script."""
    tail = os.sep + os.path.normpath(script)
    found = {frame: None for frame in session.sources if frame.endswith(tail)}
    return [Path(frame[: -len(tail)] or os.sep) for frame in found]
