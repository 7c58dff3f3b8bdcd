"""The files to lint: named ones, and those below named folders that nothing excludes."""

from __future__ import annotations

import os
import re
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilescope.lint.settings import Settings

SUFFIXES = (".py", ".ipynb")


def discover(paths: Sequence[Path], settings: Settings) -> list[Path]:
    """The files to lint, each once, in the order of `paths` and by name below a folder.

    Raises:
        InputError: a path does not exist.
    """
    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            candidates = _walk(path, settings)
        elif path.exists():
            candidates = iter([] if _left_out(path, settings) else [path])
        else:
            raise _missing(path)
        for candidate in candidates:
            found.setdefault(os.path.realpath(candidate), candidate)
    return list(found.values())


def matches(pattern: str, path: Path, root: Path) -> bool:
    """Whether `pattern` means `path`: any part of it by name, or all of it below `root`.

    A pattern without a slash is compared with the name of the file and of each folder above it,
    below `root`; one with a slash with the path from `root`, or a folder of it.
    """
    parts = _parts_below(os.path.abspath(path), os.path.abspath(root))
    if parts is None:
        parts = Path(os.path.abspath(path)).parts
        parts = parts[-1:] if "/" not in pattern else parts
    bare = pattern.rstrip("/")
    if "/" not in bare:
        return any(_glob(bare).match(part) for part in parts)
    regex = _path_glob(bare.removeprefix("./").lstrip("/"))
    return any(regex.match("/".join(parts[: end + 1])) for end in range(len(parts)))


def _parts_below(path: str, root: str) -> tuple[str, ...] | None:
    """The names from `root` down to `path`, None where it is elsewhere."""
    if path == root:
        return ()
    start = root.rstrip(os.sep) + os.sep
    return tuple(path[len(start) :].split(os.sep)) if path.startswith(start) else None


def project_root(path: Path) -> Path:
    """The nearest folder at or above `path` that is under version control, else the folder."""
    folder = path if path.is_dir() else path.parent
    folder = Path(os.path.abspath(folder))
    for place in (folder, *folder.parents):
        if (place / ".git").exists() or (place / ".hg").exists():
            return place
    return folder


def _missing(path: Path) -> InputError:
    if path.is_symlink():
        target = os.readlink(path)
        return InputError(f"{path} is a broken link", cause=f"its target {target} does not exist")
    return InputError(f"{path} does not exist", hint="name files or folders of Python source")


def _left_out(path: Path, settings: Settings) -> bool:
    return settings.force_exclude and any(
        matches(pattern, path, settings.root) for pattern in settings.exclude
    )


def _walk(top: Path, settings: Settings) -> Iterator[Path]:
    if _left_out(top, settings):
        return
    start = [] if not settings.respect_gitignore else _ignores_above(top)
    pending = [(top, start)]
    while pending:
        folder, ignores = pending.pop()
        if settings.respect_gitignore:
            ignores = [*_ignores_of(folder), *ignores]
        deeper = []
        for entry in _entries(folder):
            path = folder / entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.name.endswith(SUFFIXES):
                continue
            if _excluded(path, settings) or _git_ignores(path, is_folder, ignores):
                continue
            if is_folder:
                deeper.append((path, ignores))
            elif entry.is_file():  # a link that leads nowhere is no file
                yield path
        pending += reversed(deeper)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # no permission: what cannot be seen is not part of the tree
        return []


def _excluded(path: Path, settings: Settings) -> bool:
    """Whether a pattern excludes `path`, the folders above which were looked at before.

    A folder that the user named is linted, whatever it is called.
    """
    names, paths = _split(settings.exclude)
    if names is not None and names.match(path.name):
        return True
    return any(matches(pattern, path, settings.root) for pattern in paths)


@cache
def _split(patterns: tuple[str, ...]) -> tuple[re.Pattern[str] | None, tuple[str, ...]]:
    """The patterns for a name as one, and those for a whole path."""
    bare = [pattern.rstrip("/") for pattern in patterns]
    names = "|".join(translate(pattern) for pattern in bare if "/" not in pattern)
    return re.compile(names) if names else None, tuple(p for p in bare if "/" in p)


class _GitIgnore:
    """A .gitignore and the folder that it speaks for."""

    def __init__(self, folder: Path, text: str) -> None:
        from pathspec import GitIgnoreSpec  # only where there is one: it takes 50 ms

        self.folder = os.path.abspath(folder)
        self.spec = GitIgnoreSpec.from_lines(text.splitlines())

    def verdict(self, absolute: str, *, is_folder: bool) -> bool | None:
        """True for ignored, False for re-included, None for not mentioned."""
        relative = os.path.relpath(absolute, self.folder).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" if is_folder else relative).include


def _git_ignores(path: Path, is_folder: bool, ignores: list[_GitIgnore]) -> bool:
    absolute = os.path.abspath(path)
    for ignore in ignores:  # the nearest .gitignore that mentions it decides
        verdict = ignore.verdict(absolute, is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _ignores_of(folder: Path) -> list[_GitIgnore]:
    found = []
    for name in (".gitignore", ".git/info/exclude"):
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if any(line.strip() and not line.startswith("#") for line in text.splitlines()):
            found.append(_GitIgnore(folder, text))
    return found


def _ignores_above(top: Path) -> list[_GitIgnore]:
    """Those between the root of the repository and `top`, nearest first; none outside of one.

    One that ignores `top` itself is overruled: the user named the folder.
    """
    absolute = Path(os.path.abspath(top))
    root = project_root(absolute)
    found: list[_GitIgnore] = []
    for folder in absolute.parents:
        if root not in (folder, *folder.parents):
            break
        found += _ignores_of(folder)
    return [one for one in found if not one.verdict(str(absolute), is_folder=True)]


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


@cache
def _path_glob(pattern: str) -> re.Pattern[str]:
    """`*` and `?` stay within a folder, `**` crosses folders."""
    parts = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", pattern):
        known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
        is_set = piece.startswith("[") and piece.endswith("]")
        parts.append(
            known.get(piece) or (piece.replace("[!", "[^") if is_set else re.escape(piece))
        )
    return re.compile("".join(parts) + r"\Z")
