"""Findings kept by content: unchanged sources under unchanged settings are not analysed again.

The key is a digest of every source, the settings that the engine reads, the versions of
compilescope, Python and the rules. An entry also names the files outside of the sources that its
findings depend on, with their digests. Files that cannot know of each other have entries of their
own, so that a change costs only the files that it can reach. What cannot be read is a miss; a
damaged cache never fails.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from compilescope import __version__, whole_file
from compilescope.lint.check import Analysis
from compilescope.lint.components import components, crosses
from compilescope.lint.target import target_versions
from compilescope.model import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compilescope.lint.settings import Settings

    Analyse = Callable[[Sequence[Mapping[str, str]], Settings], list[Analysis]]

FORMAT = 2
KEPT = 2000  # entries; the oldest go first
PARTS = 400  # entries of one run


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
    named: list[str]  # of the names in `compiled`: those that were found


class Cache:
    """A folder of earlier findings, in front of an engine."""

    def __init__(self, folder: Path, analyse: Analyse, rules: str) -> None:
        """Keep in `folder` what `analyse` finds; `rules` identifies the installed rules."""
        self.folder = folder
        self.analyse = analyse
        self.rules = rules

    def __call__(self, sources: Mapping[str, str], settings: Settings) -> Analysis:
        """What the engine says, or said about the very same input."""
        whole = self._path(sources, settings)
        entry = _load(whole)
        if entry is None:
            entry = self._analysed(sources, settings)
            self._store(whole, entry)
            self._prune()
        errors = {e.path: _revive(e) for e in entry.errors}
        return Analysis(entry.findings, errors, entry.read, entry.named)

    def _analysed(self, sources: Mapping[str, str], settings: Settings) -> _Entry:
        groups = components(sources, PARTS)
        if len(groups) < 2:
            return _entry(self.analyse([sources], settings)[0])
        paths = [self._path(group, settings) for group in groups]
        known = [_load(path) for path in paths]
        unknown = [index for index, entry in enumerate(known) if entry is None]
        analyses = self.analyse([groups[index] for index in unknown], settings)
        new = dict(zip(unknown, map(_entry, analyses), strict=True))
        parts = [entry or new[index] for index, entry in enumerate(known)]
        if crosses(groups, [part.read for part in parts]):
            return _entry(self.analyse([sources], settings)[0])
        for index, part in new.items():
            self._store(paths[index], part)
        return _together(parts)

    def _path(self, sources: Mapping[str, str], settings: Settings) -> Path:
        return self.folder / f"{self._key(sources, settings)}.msgpack"

    def _key(self, sources: Mapping[str, str], settings: Settings) -> str:
        state = hashlib.blake2b(digest_size=20)
        versions = (FORMAT, __version__, sys.version_info[:3], self.rules)
        target = target_versions(settings.target_torch)  # of the installed torch where none is set
        wanted = (target, settings.compiled, settings.pedantic)
        state.update(repr((versions, wanted)).encode())
        for path in sorted(sources):
            text = sources[path].encode("utf-8", "surrogatepass")
            state.update(f"\0{path}\0{len(text)}\0".encode("utf-8", "surrogatepass"))
            state.update(text)
        return state.hexdigest()

    def _store(self, path: Path, entry: _Entry) -> None:
        with suppress(OSError):  # a cache that cannot be written is no cache
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True)
                (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
            whole_file.replace(path, msgspec.msgpack.encode(entry))

    def _prune(self) -> None:
        with suppress(OSError):  # another process may be at it, too
            entries = [(path.stat().st_mtime_ns, path) for path in self.folder.glob("*.msgpack")]
            for _, path in sorted(entries)[:-KEPT]:
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
    """An entry that can be read and whose files outside of the sources are as they were."""
    try:
        entry = msgspec.msgpack.decode(path.read_bytes(), type=_Entry)
    except (OSError, ValueError):  # msgspec's errors are ValueErrors
        return None
    if any(digest(place) != known for place, known in entry.read.items()):
        return None
    with suppress(OSError):
        os.utime(path)  # the oldest entries are those that were not used for longest
    return entry


def _together(parts: Sequence[_Entry]) -> _Entry:
    whole = _Entry([], [], {}, [])
    for part in parts:
        whole.findings += part.findings
        whole.errors += part.errors
        whole.read |= part.read
        whole.named += part.named
    return whole


def _entry(analysis: Analysis) -> _Entry:
    errors = [
        _Error(path, e.msg or "", e.lineno, e.offset, e.end_lineno, e.end_offset)
        for path, e in analysis.errors.items()
    ]
    read = {path: digest(path) for path in sorted(analysis.read)}
    return _Entry(list(analysis.findings), errors, read, sorted(analysis.named))


def _revive(error: _Error) -> SyntaxError:
    place = (error.path, error.line, error.column, "", error.end_line, error.end_column)
    return SyntaxError(error.message, place)
