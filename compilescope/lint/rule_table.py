"""What is known of each installed rule without importing them all: a third of a cached run.

The table of an environment lies in the user's cache folder. It holds as long as the folders of
`sys.path` and the files of the rules are as they were; what cannot be read is a miss.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from compilescope import __version__, whole_file

FORMAT = 1


class Known(msgspec.Struct, frozen=True, array_like=True):
    """A rule as lists and selectors need it."""

    code: str
    name: str
    summary: str
    since: tuple[int, int]
    until: tuple[int, int]
    pedantic: bool


class Table(msgspec.Struct, frozen=True, array_like=True):
    """The rules of the packs in some folders."""

    state: str  # of the folders on sys.path: a pack that comes or goes changes them
    packs: tuple[str, ...]  # folders
    identity: str  # of the files in them and of the engine
    rules: tuple[Known, ...]
    torch: str  # the version that is installed, "" where none is


@cache
def table(packs: Callable[[], Iterable[str]], rules: Callable[[], Iterable[Known]]) -> Table:
    """The table that was kept, or a new one of the rules that are installed."""
    place, state = _place(), _state()
    with suppress(OSError, ValueError):  # msgspec's errors are ValueErrors
        kept = msgspec.msgpack.decode(place.read_bytes(), type=Table)
        if kept.state == state and kept.identity == identity(kept.packs):
            return kept
    folders = tuple(packs())
    made = Table(state, folders, identity(folders), tuple(rules()), _installed_torch())
    with suppress(OSError):  # without a place to keep it, it is made each time
        place.parent.mkdir(parents=True, exist_ok=True)
        whole_file.replace(place, msgspec.msgpack.encode(made))
    return made


def _installed_torch() -> str:
    from importlib import metadata  # 20 ms, and the table is there to save them

    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def identity(packs: Iterable[str]) -> str:
    """A digest that changes when a rule in one of the folders or the engine does."""
    state = hashlib.blake2b(digest_size=16)
    for folder in (os.path.dirname(os.path.abspath(__file__)), *packs):
        for path, found in sorted(_python_files(folder)):
            state.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0".encode())
    return state.hexdigest()


def _python_files(folder: str) -> Iterable[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _python_files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path, entry.stat()


def _place() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.blake2b(sys.prefix.encode(), digest_size=8).hexdigest()
    return Path(base) / "compilescope" / f"rules-{name}.msgpack"


def _state() -> str:
    """The folders that are searched for packages, and when something in them came or went."""
    found = []
    for folder in sys.path[1:]:  # the first is where the program was started
        with suppress(OSError):
            found.append((folder, os.stat(folder).st_mtime_ns))
    return repr((FORMAT, __version__, sys.version_info[:3], found))
