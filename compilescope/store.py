"""Sessions to and from files: `*.cscope.json`, `*.cscope.json.gz`, and the page that embeds one."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from pathlib import Path
from typing import Any

import msgspec

from compilescope import whole_file
from compilescope.errors import InputError
from compilescope.file_kinds import FileKind
from compilescope.model import SESSION_VERSION, Session
from compilescope.tuning import TUNING_VERSION, Tuning

SUFFIX = ".cscope.json.gz"
_SESSION = FileKind(
    "session",
    SESSION_VERSION,
    again="record the session again",
    hint="`compilescope probe script.py` records one",
    no_json="for logs use `compilescope logs`",
)
_TUNING = FileKind("result of tune", TUNING_VERSION, again="run tune again", hint="run tune again")
_GZIP_MAGIC = b"\x1f\x8b"
_EMBEDDED = re.compile(rb'<script type="application/json" id="session">(.*?)</script>', re.DOTALL)


def save(session: Session, path: Path) -> None:
    """Write `session` to `path`, whole or not at all; gzipped where the name ends in `.gz`.

    Raises:
        InputError: the folder or file cannot be written.
    """
    data = encode(session)
    if path.suffix == ".gz":
        data = gzip.compress(data, compresslevel=6, mtime=0)
    write(data, path)


def write(data: bytes, path: Path) -> None:
    """Make `path` hold `data`, whole or not at all.

    Raises:
        InputError: the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_file.replace(path, data, 0o666 & ~_umask())
    except OSError as error:
        raise InputError(
            f"cannot write {path}",
            cause=error.strerror or str(error),
            hint="name another file with -o",
        ) from error


def encode(session: Session) -> bytes:
    """`session` as JSON."""
    return msgspec.json.encode(session)


def load(path: Path) -> Session:
    """The session in `path`, or in the report at `path`.

    Raises:
        InputError: missing, unreadable, truncated, or not a session.
        VersionError: written by a newer compilescope.
    """
    data = _read(path)
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(
                f"{path} is damaged",
                cause=f"the compressed data is cut short or altered ({error})",
                hint="record the session again, or copy the file again",
            ) from error
    embedded = _EMBEDDED.search(data)
    return decode(embedded.group(1) if embedded else data, str(path))


def decode(data: bytes, name: str) -> Session:
    """The session that `data` (JSON) holds; `name` is for the messages.

    Raises:
        InputError: not a session.
        VersionError: written by a newer compilescope.
    """
    try:
        return msgspec.json.decode(data, type=Session)
    except msgspec.DecodeError as error:
        raise _SESSION.refusal(data, name, error) from error


def load_tuning(path: Path) -> Tuning | None:
    """The result of `tune` in `path`; None where something else is there.

    Raises:
        InputError: it cannot be read.
        VersionError: written by a newer compilescope.
    """
    data = _read(path)
    try:
        content: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(content, dict) or "baseline" not in content:
        return None
    try:
        found = msgspec.convert(content, Tuning)
    except msgspec.ValidationError as error:
        raise _TUNING.refusal(data, str(path), error) from error
    if found.version > TUNING_VERSION:
        raise _TUNING.refusal(data, str(path), ValueError(found.version))
    return found


def is_session(path: Path) -> bool:
    """Whether `path` is named like a session or a report."""
    return path.name.endswith((".cscope.json", SUFFIX, ".html", ".htm"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"{path} does not exist", hint="`compilescope probe script.py` records a session"
        ) from error
    except IsADirectoryError as error:
        raise InputError(
            f"{path} is a folder",
            hint="name a session file; for a folder of logs use `compilescope logs`",
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}", cause=error.strerror or str(error)) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
