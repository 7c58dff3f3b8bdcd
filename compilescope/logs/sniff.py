"""What a file or folder is, judged by its beginning."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from compilescope import store
from compilescope.errors import InputError, VersionError
from compilescope.logs import tlparse, trace_files
from compilescope.logs.lines import read_line
from compilescope.logs.text_records import head_of

_RAW_MARK = "launch.json"
_PAGE_BEGINNINGS = (b"<!doctype html", b"<!DOCTYPE html")
_MOST_FILES = 20_000
_TEXT_SUFFIXES = {".log", ".txt", ".out", ".err", ".stderr", ".stdout", ""}
_COMPRESSED = {".gz", ".xz", ".zst", ".bz2"}
_HINT = "TORCH_LOGS=recompiles,graph_breaks prints a log; TORCH_TRACE=folder records one"


class Form(Enum):
    """The forms that compilescope reads."""

    TRACE = "structured trace"
    TEXT = "text log"
    TLPARSE = "tlparse report"
    SESSION = "session"
    RAW = "raw folder of a probe"


def form_of(path: Path) -> Form:
    """What `path` is.

    Raises:
        InputError: it is missing, unreadable, empty or binary.
    """
    if path.is_dir():
        return Form.RAW if (path / _RAW_MARK).is_file() else Form.TEXT
    if store.is_session(path) and path.exists():
        return Form.SESSION
    head = trace_files.beginning(path)
    if tlparse.is_tlparse(head):
        return Form.TLPARSE
    if trace_files.is_trace(path):
        return Form.TRACE
    if head.startswith(_PAGE_BEGINNINGS) or (head.startswith(b"{") and _is_session(path)):
        return Form.SESSION
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Form.TEXT
    if b"\0" in head and not _has_log_line(head):
        raise InputError(f"{path} is not a log", cause="it is binary", hint=_HINT)
    return Form.TEXT


def logs_in(folder: Path) -> list[tuple[Path, Form]]:
    """The logs in `folder` and below it.

    Raises:
        InputError: there is none, or the folder cannot be read.
    """
    found: list[tuple[Path, Form]] = []
    seen = 0
    for path in _files(folder):
        seen += 1
        form = _form_in_folder(path)
        if form is not None:
            found.append((path, form))
    forms = {form for _, form in found}
    if Form.TRACE in forms:  # a report of tlparse stands beside the trace that it was made from
        found = [(path, form) for path, form in found if form is not Form.TLPARSE]
    if not found:
        cause = "it is empty" if not seen else f"none of its {seen:,} files has the form of one"
        raise InputError(f"no log in {folder}", cause=cause, hint=_HINT)
    return found


def _form_in_folder(path: Path) -> Form | None:
    try:
        head = trace_files.beginning(path)
    except InputError:
        return None
    if tlparse.is_tlparse(head):
        return Form.TLPARSE
    if trace_files.is_trace(path):
        return Form.TRACE
    name = path.with_suffix("") if path.suffix in _COMPRESSED else path
    if name.suffix.lower() in _TEXT_SUFFIXES and _has_log_line(head):
        return Form.TEXT
    return None


def _is_session(path: Path) -> bool:
    try:
        store.load(path)
    except VersionError:
        return True
    except InputError:
        return False
    return True


def _has_log_line(head: bytes) -> bool:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode()
    for raw in head.split(b"\n"):
        line = read_line(raw)
        if (line.prefix and "torch" in line.prefix.file) or head_of(line.text):
            return True
    return False


def _files(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        if Path(str(error.filename)) == folder:
            raise InputError(f"cannot read {folder}", cause=error.strerror or str(error)) from error

    count = 0
    for where, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                return
            path = Path(where, name)
            if path.is_file():
                yield path
