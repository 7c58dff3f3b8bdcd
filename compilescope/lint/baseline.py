"""A baseline: the findings that a project has accepted, so that only new ones are reported.

An entry is a path, a code, a function and the text of the line, with how many there are: it still
holds when lines above it come or go, and no longer when the line itself changes.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from compilescope.errors import InputError, VersionError
from compilescope.lint.own_codes import UNSILENCEABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from compilescope.lint.source import Source
    from compilescope.model import Finding

VERSION = 1


class Entry(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """What identifies a finding while the code around it changes."""

    path: str  # from the folder of the baseline, with slashes
    code: str
    function: str = ""
    text: str = ""


class _Counted(msgspec.Struct, omit_defaults=True):
    path: str
    code: str
    function: str = ""
    text: str = ""
    count: int = 1


class _File(msgspec.Struct):
    version: int
    findings: list[_Counted]


def apply_baseline(
    findings: Iterable[Finding], sources: Mapping[str, Source], path: Path
) -> tuple[list[Finding], int, int]:
    """The findings that are new, how many are known, and how many entries match nothing.

    Entries of files that were not linted now are not counted as matching nothing.

    Raises:
        InputError: the file is missing or is no baseline.
    """
    left = _read(path)
    new, hidden = [], 0
    for finding in findings:
        entry = _entry(finding, sources, path)
        if left[entry] > 0 and finding.code not in UNSILENCEABLE:
            left[entry] -= 1
            hidden += 1
        else:
            new.append(finding)
    linted = {_relative(shown, path) for shown in sources}
    gone = sum(number for entry, number in left.items() if entry.path in linted)
    return new, hidden, gone


def write_baseline(findings: Iterable[Finding], sources: Mapping[str, Source], path: Path) -> int:
    """Accept `findings`; entries of files that were not linted now stay. Returns how many.

    Raises:
        InputError: the file cannot be written, or is something else.
    """
    linted = {_relative(shown, path) for shown in sources}
    kept = _read(path) if path.exists() else Counter[Entry]()
    counts = Counter({entry: n for entry, n in kept.items() if entry.path not in linted})
    accepted = [f for f in findings if f.code not in UNSILENCEABLE]
    counts.update(_entry(finding, sources, path) for finding in accepted)
    listed = [
        _Counted(entry.path, entry.code, entry.function, entry.text, number)
        for entry, number in sorted(counts.items())
    ]
    data = msgspec.json.format(msgspec.json.encode(_File(VERSION, listed)), indent=1)
    try:
        path.write_bytes(data + b"\n")
    except OSError as error:
        raise InputError(f"cannot write {path}", cause=error.strerror or str(error)) from error
    return len(accepted)


def _read(path: Path) -> Counter[Entry]:
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError as error:
        raise InputError(
            f"the baseline {path} does not exist", hint="--update-baseline writes it"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}", cause=error.strerror or str(error)) from error
    except ValueError as error:
        raise InputError(f"{path} is not a baseline", cause=str(error)) from error
    if file.version > VERSION:
        raise VersionError(
            f"cannot read {path}",
            cause=f"it has version {file.version}, this release reads {VERSION}",
            hint="upgrade compilescope",
        )
    counts: Counter[Entry] = Counter()
    for item in file.findings:
        counts[Entry(item.path, item.code, item.function, item.text)] += item.count
    return counts


def _entry(finding: Finding, sources: Mapping[str, Source], path: Path) -> Entry:
    source = sources.get(finding.path)
    lines = source.lines if source else []
    text = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
    return Entry(_relative(finding.path, path), finding.code, finding.function, text)


def _relative(shown: str, path: Path) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    return os.path.relpath(os.path.abspath(shown), folder).replace(os.sep, "/")
