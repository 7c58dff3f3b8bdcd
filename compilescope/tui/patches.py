"""Changes to the user's files: read from a diff, held against the files, written whole or not."""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compilescope.errors import InputError
from compilescope.lint import source as files

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True)
class Change:
    """One file as it is and as it would be."""

    path: Path
    before: str
    after: str

    def diff(self, name: str) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{name}",
            f"b/{name}",
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def paths_in(diff: str) -> list[str]:
    """The files that a unified diff changes."""
    return [line[6:].strip() for line in diff.splitlines() if line.startswith("+++ b/")]


def from_diff(diff: str, folder: Path, digests: dict[str, str]) -> list[Change]:
    """What `diff` does to the files below `folder`.

    Args:
        diff: unified, its paths from `folder`.
        folder: where the program was started.
        digests: of the files that it was made for, by absolute path.

    Raises:
        InputError: a file is gone, has changed since, or would not be Python any more.
    """
    changes = []
    for name, hunks in _files(diff):
        path = (folder / name) if (folder / name).is_file() else Path(f"/{name}")
        before = read(path)
        digest = digests.get(str(path.absolute()))
        if digest and hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise changed(path)
        changes.append(checked(Change(path, before, _patched(path, before, hunks))))
    return changes


def read(path: Path) -> str:
    """The text of a source file.

    Raises:
        InputError: it is not there, or is no text that Python reads.
    """
    try:
        return files.read(path).text
    except files.Unreadable as error:
        raise InputError(f"{path} {error}") from error


def checked(change: Change) -> Change:
    """`change`, if what it gives is Python.

    Raises:
        InputError: it is not.
    """
    try:
        ast.parse(change.after)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{change.path} would not parse after this change") from error
    return change


def changed(path: Path) -> InputError:
    """The error for a file that is not what the change was made for."""
    return InputError(
        f"{path} has changed since",
        cause="this change was made for another text of it",
        hint="record the program again",
    )


def write(change: Change) -> None:
    """Write the file, whole or not at all.

    Raises:
        InputError: it has changed meanwhile, or cannot be written.
    """
    if read(change.path) != change.before:
        raise changed(change.path)
    now = files.read(change.path)
    try:
        files.write(files.Source(now.path, change.after, now.encoding))
    except (OSError, UnicodeEncodeError) as error:
        cause = getattr(error, "strerror", "") or str(error)
        raise InputError(f"cannot write {change.path}", cause=cause) from error


def undone(change: Change) -> Change:
    """The change that takes `change` back."""
    return Change(change.path, change.after, change.before)


def _files(diff: str) -> Iterator[tuple[str, list[str]]]:
    name, lines = "", list[str]()
    for line in diff.splitlines(keepends=True):
        if line.startswith("--- a/") and (not lines or _is_whole(lines)):
            if name:
                yield name, lines
            name, lines = "", []
        elif line.startswith("+++ b/") and not name:
            name = line[6:].rstrip("\n")
        else:
            lines.append(line)
    if name:
        yield name, lines


def _is_whole(lines: list[str]) -> bool:
    """Whether all lines that the last hunk announces have come."""
    start = max((at for at, line in enumerate(lines) if line.startswith("@@")), default=0)
    match = _HUNK.match(lines[start])
    wanted = int(match[2] or 1) if match else 0
    return sum(line[0] in " -" for line in lines[start + 1 :]) >= wanted


def _patched(path: Path, before: str, hunks: list[str]) -> str:
    """`before` after the hunks, each exactly where it says, or not at all."""
    old, new = before.splitlines(keepends=True), list[str]()
    end = "\r\n" if "\r\n" in before else "\n"
    at = 0
    for line in hunks:
        match = _HUNK.match(line)
        if match:
            start = int(match[1]) - (0 if match[2] == "0" else 1)
            if start < at:
                raise changed(path)
            new += old[at:start]
            at = start
        elif line[0] == "+":
            new.append(line[1:].rstrip("\r\n") + end)
        elif line[0] in " -":
            if at >= len(old) or old[at].rstrip("\r\n") != line[1:].rstrip("\r\n"):
                raise changed(path)
            if line[0] == " ":
                new.append(old[at])
            at += 1
        elif line[0] != "\\":
            raise changed(path)
    return "".join((*new, *old[at:]))


def shown(path: Path) -> str:
    """A path from here, for people."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
