"""Trace files: finding them, opening them in any compression, and telling what is one."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from compilescope.errors import InputError
from compilescope.model import Gap

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = "dedicated_log_torch_trace_"
_SUFFIXES = (".log", ".txt", ".trace", ".gz", ".xz", ".zst", ".bz2")
_RANK = re.compile(r"torch_trace_rank_(\d{1,9})_")
_TRACE_LINE = re.compile(rb"(?:^|\n|\0)(?:\[rank\d+\]:)?[VDIWEC]\d{4} [\d:.]+ +\d+ [^\n]*?\] \{\"")
_TEXT_LINE = re.compile(rb"(?:^|\n|\W)[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [^\n]*?:\d+\] ?[^\{\n]")
_SNIFF = 1 << 16
_MARK = 1 << 12
_Open = Callable[[BinaryIO], Any]
_OPENERS: tuple[tuple[bytes, _Open], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (b"\x28\xb5\x2f\xfd", zstd.ZstdFile),
    (b"BZh", bz2.BZ2File),
)
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, zstd.ZstdError, gzip.BadGzipFile)
_RECORD_HINT = "TORCH_TRACE=folder records one; `compilescope probe script.py` does so by itself"


def find(paths: Sequence[Path], gaps: list[Gap]) -> list[Path]:
    """The trace files that `paths` name or hold, each once, in a fixed order.

    A file that is named is taken whatever it is called; in a folder only those that are traces.
    Files of a folder that cannot be read go to `gaps`.

    Raises:
        InputError: a path does not exist or cannot be read, or a folder holds no trace.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if os.path.isdir(path):
            inside = _inside(path, gaps)
            if not inside:
                raise InputError(
                    f"no trace in {path}", cause=_what_is_there(path), hint=_RECORD_HINT
                )
            found.update(dict.fromkeys(inside))
        else:
            found[path] = None
    if not found:
        raise InputError("no trace was named", hint=_RECORD_HINT)
    return list({_identity(path): path for path in reversed(found)}.values())[::-1]


def _identity(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL byte in the name, a loop of links
        return str(path)


def without_copies(paths: Sequence[Path], gaps: list[Gap]) -> list[Path]:
    """`paths` without files that begin as another does: the same trace, compressed or cut short.

    No two processes write the same first records, which have their pid and the time.
    """
    heads = {path: beginning(path, _MARK) for path in paths}
    kept: dict[bytes, Path] = {}
    for path in sorted(paths, key=lambda path: -len(heads[path])):
        head = heads[path]
        twin = next((kept[other] for other in kept if head and other.startswith(head)), None)
        if twin is None:
            kept[head or os.fsencode(path)] = path
        else:
            gaps.append(Gap("file left out", detail=f"{path} has the same records as {twin}"))
    chosen = set(kept.values())
    return [path for path in paths if path in chosen]


def rank_of(path: Path) -> int | None:
    """The rank in the file's name."""
    match = _RANK.search(path.name)
    return int(match[1]) if match else None


def is_trace(path: Path) -> bool:
    """Whether the file holds a structured trace, judged by its beginning."""
    return _is_trace(path, [])


def beginning(path: Path, size: int = _SNIFF) -> bytes:
    """The first `size` bytes, uncompressed.

    Raises:
        InputError: missing or unreadable.
    """
    with opened(path) as read:
        head = b""
        try:
            while len(head) < size and (more := read(size - len(head))):
                head += more
        except Damaged:
            pass
        return head


def not_a_trace(path: Path, damage: Damaged | None = None) -> InputError:
    """The error for a file without a single record, saying what the file is instead."""
    if damage is not None:
        return InputError(
            f"{path} is damaged",
            cause=f"nothing of it can be uncompressed ({damage})",
            hint="copy the file again",
        )
    head = beginning(path)
    if not head:
        return InputError(
            f"{path} is empty",
            cause="nothing was compiled while it was recorded, or the program was killed at once",
            hint=_RECORD_HINT,
        )
    if _TEXT_LINE.search(head):
        return InputError(
            f"{path} is not a structured trace",
            cause="it has the form of TORCH_LOGS text",
            hint=f"`compilescope logs {path}` reads that as well",
        )
    cause = "it is binary" if b"\0" in head else "no line has the form of a trace record"
    return InputError(f"{path} is not a structured trace", cause=cause, hint=_RECORD_HINT)


class Damaged(Exception):  # noqa: N818 - a state of the file, told as a gap
    """The compressed data ends early or is altered; what came before was read."""


@contextmanager
def opened(path: Path) -> Iterator[Callable[[int], bytes]]:
    """A function that reads so many uncompressed bytes of `path`, and raises `Damaged`.

    Raises:
        InputError: missing, a folder, or not readable.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", hint=_RECORD_HINT) from error
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read {path}", cause=cause) from error
    with file:
        try:
            magic = file.read(6)
            file.seek(0)
        except OSError as error:
            raise InputError(f"cannot read {path}", cause=str(error)) from error
        source: Any = file
        for prefix, opener in _OPENERS:
            if magic.startswith(prefix):
                source = opener(cast("BinaryIO", file))
        yield _Reading(source.read1)


class _Reading:
    """Gives all bytes before the damage, and only then raises."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._damage: Exception | None = None

    def __call__(self, count: int) -> bytes:
        parts: list[bytes] = []
        left = count
        while left > 0 and self._damage is None:
            try:
                part = self._read(left)
            except (*_DAMAGE, OSError) as error:
                self._damage = error
                break
            if not part:
                break
            parts.append(part)
            left -= len(part)
        if self._damage is not None and not parts:
            raise Damaged(str(self._damage)) from self._damage
        return b"".join(parts)


def _inside(folder: Path, gaps: list[Gap]) -> list[Path]:
    return [path for path in _walk(folder) if _is_trace(path, gaps)]


def _is_trace(path: Path, gaps: list[Gap]) -> bool:
    try:
        return _TRACE_LINE.search(beginning(path)) is not None
    except InputError as error:
        gaps.append(Gap("file that cannot be read", detail=f"{path}: {error.cause}"))
        return False


def _walk(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot read {folder}", cause=error.strerror or str(error)) from error
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        elif entry.name.endswith(_SUFFIXES) and entry.is_file():
            yield entry


def _what_is_there(folder: Path) -> str:
    files = list(_walk(folder))
    if not files:
        return "the folder holds no log files"
    empty = sum(file.stat().st_size == 0 for file in files)
    if empty == len(files):
        return "its log files are empty: nothing was compiled while they were recorded"
    return f"none of its {len(files)} log files has a trace record"
