"""Where sessions come from: files, folders of them, reports, records that still grow."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnosis import Diagnosis
from compilescope.errors import CompilescopeError, InputError
from compilescope.model import Session
from compilescope.probe.raw import END, LAUNCH
from compilescope.tuning import Tuning

HOME = ".compilescope"


@dataclass(frozen=True)
class Opened:
    """A session that was read and explained."""

    path: Path
    session: Session
    diagnosis: Diagnosis
    tuning: Tuning | None = None  # the trials whose baseline it is


@dataclass(frozen=True)
class Entry:
    """A session in a list; the fields after `path` are known once it was read."""

    path: Path
    when: float
    name: str = ""
    status: str = ""
    verdict: str = ""
    error: str = ""

    @property
    def read(self) -> bool:
        """Whether the file was looked into."""
        return bool(self.status or self.error)


def home(start: Path) -> Path | None:
    """The nearest `.compilescope` folder at or above `start`."""
    folders = (folder / HOME for folder in (start, *start.parents))
    return next((folder for folder in folders if folder.is_dir()), None)


def find(paths: Sequence[Path]) -> list[Entry]:
    """The sessions in these files and folders, newest first; of none, those of this project."""
    if not paths:
        folder = home(Path.cwd())
        paths = [folder] if folder else []
    found: dict[Path, Entry] = {}
    for path in paths:
        inside = path.is_dir() and not is_raw(path)
        for file in _in_folder(path) if inside else [path]:
            found[file] = Entry(file, _modified(file))
    return sorted(found.values(), key=lambda entry: -entry.when)


def open_session(path: Path) -> Opened:
    """Read and explain the session at `path`, also one that is still being written.

    Raises:
        InputError: missing, damaged, or not a session.
    """
    if is_raw(path):
        # Reading a raw record imports the readers of traces, which a saved session does not need.
        from compilescope.probe.session import from_raw

        session = from_raw(path)
    else:
        session = store.load(path)
    return explained(path, session)


def explained(path: Path, session: Session) -> Opened:
    """The session at `path`, explained.

    Raises:
        InputError: what it holds cannot be explained.
    """
    try:
        found = diagnose(session)
    except Exception as error:  # one odd session is not the end of a program that shows many
        cause = f"{type(error).__name__}: {error}"
        hint = "please report it, with the session"
        raise InputError(f"{path} cannot be explained", cause=cause, hint=hint) from error
    return Opened(path, session, found, _tuning(path))


def tuned_path(session: Path) -> Path:
    """Where the result of trials for a session goes: beside it."""
    name = session.name.removesuffix(".gz").removesuffix(".json").removesuffix(".cscope")
    name = name.removesuffix(".html").removesuffix("-tuned")
    return session.absolute().with_name(f"{name}-tuned.json")


def _tuning(path: Path) -> Tuning | None:
    """The result of trials for a session, unless the session was recorded anew since."""
    result = tuned_path(path)
    with suppress(OSError, msgspec.DecodeError):
        own = path.name.endswith(f"-tuned{store.SUFFIX}")
        if own or _modified(result) >= _modified(path) > 0:
            return msgspec.json.decode(result.read_bytes(), type=Tuning)
    return None


def look(entry: Entry) -> Entry:
    """`entry` with its verdict, or with the reason why it has none."""
    try:
        opened = open_session(entry.path)
    except CompilescopeError as error:
        hint = f"; {error.hint}" if error.hint else ""
        cause = f": {error.cause}" if error.cause else ""
        message = error.message.removeprefix(f"{entry.path} ")  # it stands in the row already
        return Entry(entry.path, entry.when, entry.path.name, error=f"{message}{cause}{hint}")
    when = entry.when
    with suppress(ValueError):
        when = datetime.fromisoformat(opened.session.created).timestamp()
    found = opened.diagnosis
    status = "running" if is_raw(entry.path) and is_running(entry.path) else found.status
    return Entry(entry.path, when, found.name or entry.path.name, status, found.verdict)


def is_raw(path: Path) -> bool:
    """Whether `path` is the folder that a probed program writes to."""
    return (path / LAUNCH).is_file()


def is_running(raw: Path) -> bool:
    """Whether the program that writes this raw folder has not ended."""
    if (raw / END).exists():
        return False
    with suppress(OSError, ValueError, TypeError, KeyError):
        os.kill(int(json.loads((raw / LAUNCH).read_text(encoding="utf-8"))["pid"]), 0)
        return True
    return False


def saved_as(raw: Path) -> Path:
    """The session that a raw folder `.NAME.random.raw` becomes when its program ends."""
    return raw.with_name(raw.name.removesuffix(".raw").rpartition(".")[0].removeprefix("."))


def dated(when: float) -> str:
    """A time for people, in their own zone."""
    if not when:
        return ""
    return datetime.fromtimestamp(when, timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M")


def report_path(session: Path) -> Path:
    """Where the HTML report of a session goes: beside it."""
    if session.suffix in {".html", ".htm"}:
        return session
    saved = saved_as(session) if session.name.endswith(".raw") else session
    name = saved.name.removesuffix(".gz").removesuffix(".json").removesuffix(".cscope")
    return saved.with_name(f"{name}.html")


def check(paths: Sequence[Path]) -> None:
    """Say before the screen is taken over that a path does not exist.

    Raises:
        InputError: it does not.
    """
    for path in paths:
        if not path.exists():
            raise InputError(
                f"{path} does not exist", hint="`compilescope probe script.py` records a session"
            )


def _in_folder(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [
            path
            for path in folder.iterdir()
            if (path.is_file() and _is_listed(path)) or (path.is_dir() and is_raw(path))
        ]
    return []


def _is_listed(path: Path) -> bool:
    if path.suffix not in {".html", ".htm"}:
        return store.is_session(path)
    # A folder may hold any page; ours say so in their first lines, and repeat what the session
    # beside them says.
    twins = (path.with_suffix(suffix) for suffix in (store.SUFFIX, ".cscope.json"))
    if any(twin.exists() for twin in twins):
        return False
    with suppress(OSError), path.open("rb") as file:
        return b'content="compilescope' in file.read(4096)
    return False


def _modified(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
