"""Findings kept by content: unchanged sources under unchanged settings are not analysed again.

The key is a digest of every source, the settings that the engine reads, the versions of
compilescope, Python and the rules. An entry also names the files outside of the sources that its
findings depend on, with their digests. What cannot be read is a miss; a damaged cache never fails.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from compilescope import __version__
from compilescope.lint.check import Analysis
from compilescope.model import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.lint.check import Engine
    from compilescope.lint.settings import Settings

FORMAT = 1
KEPT = 64  # entries; the oldest go first


class _Error(msgspec.Struct, array_like=True):
    path: str
    message: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None


class _Entry(msgspec.Struct, array_like=True):
    findings: list[Finding]
    errors: list[_Error]
    read: dict[str, str]  # path to digest, "" for a file that is gone


class Cache:
    """A folder of earlier findings, in front of an engine."""

    def __init__(self, folder: Path, engine: Engine, rules: str) -> None:
        """Keep in `folder` what `engine` finds; `rules` identifies the installed rules."""
        self.folder = folder
        self.engine = engine
        self.rules = rules

    def __call__(self, sources: Mapping[str, str], settings: Settings) -> Analysis:
        """What the engine says, or said about the very same input."""
        path = self.folder / f"{self._key(sources, settings)}.msgpack"
        entry = _load(path)
        if entry is not None and all(digest(p) == known for p, known in entry.read.items()):
            with suppress(OSError):
                os.utime(path)  # the oldest entries are those that were not used for longest
            return Analysis(entry.findings, {e.path: _revive(e) for e in entry.errors}, ())
        analysis = self.engine(sources, settings)
        findings = list(analysis.findings)
        errors = [
            _Error(p, e.msg or "", e.lineno, e.offset, e.end_lineno, e.end_offset)
            for p, e in analysis.errors.items()
        ]
        read = {p: digest(p) for p in sorted(analysis.read)}
        self._store(path, msgspec.msgpack.encode(_Entry(findings, errors, read)))
        return analysis._replace(findings=findings)

    def _key(self, sources: Mapping[str, str], settings: Settings) -> str:
        state = hashlib.blake2b(digest_size=20)
        versions = (FORMAT, __version__, sys.version_info[:3], self.rules)
        wanted = (settings.target_torch, settings.compiled, settings.pedantic)
        state.update(repr((versions, wanted)).encode())
        for path in sorted(sources):
            text = sources[path].encode("utf-8", "surrogatepass")
            state.update(f"\0{path}\0{len(text)}\0".encode("utf-8", "surrogatepass"))
            state.update(text)
        return state.hexdigest()

    def _store(self, path: Path, data: bytes) -> None:
        with suppress(OSError):  # a cache that cannot be written is no cache
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True)
                (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            self._prune()

    def _prune(self) -> None:
        entries = sorted(self.folder.glob("*.msgpack"), key=lambda path: path.stat().st_mtime)
        for path in entries[:-KEPT]:
            path.unlink(missing_ok=True)


def folder_for(root: Path, chosen: str) -> Path:
    """Where the cache of a project is: as configured, in the project, or where that is not ours."""
    if chosen:
        return root / chosen
    inside = root / ".compilescope" / "lint-cache"
    if os.access(next(p for p in inside.parents if p.exists()), os.W_OK):
        return inside
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    name = hashlib.blake2b(str(root).encode(), digest_size=8).hexdigest()
    return Path(base) / "compilescope" / "lint" / name


def digest(path: str) -> str:
    """A digest of a file's bytes; "" where there is none."""
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _load(path: Path) -> _Entry | None:
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=_Entry)
    except (OSError, ValueError):  # msgspec's errors are ValueErrors
        return None


def _revive(error: _Error) -> SyntaxError:
    place = (error.path, error.line, error.column, "", error.end_line, error.end_column)
    return SyntaxError(error.message, place)
