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

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = "dedicated_log_torch_trace_"
_SUFFIXES = (".log", ".txt", ".trace", ".gz", ".xz", ".zst", ".bz2")
_RANK = re.compile(r"torch_trace_rank_(\d+)_")
_TRACE_LINE = re.compile(rb"(?:^|\n|\0)(?:\[rank\d+\]:)?[VDIWEC]\d{4} [\d:.]+ +\d+ [^\n]*?\] \{\"")
_TEXT_LINE = re.compile(rb"(?:^|\n|\W)[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [^\n]*?:\d+\] ?[^\{\n]")
_SNIFF = 1 << 16
_Open = Callable[[BinaryIO], Any]
_OPENERS: tuple[tuple[bytes, _Open], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (b"\x28\xb5\x2f\xfd", zstd.ZstdFile),
    (b"BZh", bz2.BZ2File),
)
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, zstd.ZstdError, gzip.BadGzipFile)
_RECORD_HINT = "TORCH_TRACE=folder records one; `compilescope probe script.py` does so by itself"


def find(paths: Sequence[Path]) -> list[Path]:
    """The trace files that `paths` name or hold, each once, in a fixed order.

    A file that is named is taken whatever it is called; in a folder only those that are traces.

    Raises:
        InputError: a path does not exist or cannot be read, or a folder holds no trace.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = [item for item in sorted(_walk(path)) if is_trace(item)]
            if not inside:
                raise InputError(
                    f"no trace in {path}", cause=_what_is_there(path), hint=_RECORD_HINT
                )
            found.update(dict.fromkeys(inside))
        else:
            found[path] = None
    if not found:
        raise InputError("no trace was named", hint=_RECORD_HINT)
    return list({os.path.realpath(path): path for path in reversed(found)}.values())[::-1]


def rank_of(path: Path) -> int | None:
    """The rank in the file's name."""
    match = _RANK.search(path.name)
    return int(match[1]) if match else None


def is_trace(path: Path) -> bool:
    """Whether the file holds a structured trace, judged by its beginning."""
    try:
        return _TRACE_LINE.search(beginning(path)) is not None
    except InputError:
        return False


def beginning(path: Path) -> bytes:
    """The first 64 KiB, uncompressed.

    Raises:
        InputError: missing or unreadable.
    """
    with opened(path) as read:
        head = b""
        try:
            while len(head) < _SNIFF and (more := read(_SNIFF - len(head))):
                head += more
        except Damaged:
            pass
        return head


def not_a_trace(path: Path) -> InputError:
    """The error for a file without a single record, saying what the file is instead."""
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
        yield _guarded(source.read)


def _guarded(read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    def guarded(count: int) -> bytes:
        try:
            return read(count)
        except (*_DAMAGE, OSError) as error:
            raise Damaged(str(error)) from error

    return guarded


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
