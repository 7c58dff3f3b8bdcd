"""A session or diagnosis without the user's source and paths, to be shown to strangers.

Function and variable names, shapes, values and the texts of PyTorch stay: without them there is
nothing left to explain. Files get numbers, so that two places in one file still look like it.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from compilescope.paths import is_interpreter, is_library

_T = TypeVar("_T", bound=msgspec.Struct)

_PUBLIC = re.compile(r".*?[/\\](?=(?:site|dist)-packages[/\\]|lib(?:64)?[/\\]python3)")
# An absolute path, POSIX or Windows, or one from home; in front of it no letter, digit or dot.
_PATH = re.compile(
    r"(?<![\w.)\]])(?:[A-Za-z]:[/\\]|~?/)(?:[\w.@+\- ]*[\w.@+\-])?[/\\][^\s'\"<>|:,;)]+"
)
_COMMENT = re.compile(r"\s+# (?!duck sizing).*$", re.MULTILINE)
_TRACEBACK_CODE = re.compile(r'(^\s*File ".*?", line \d+.*\n)(?:(?:    |\t).*\n?)+', re.MULTILINE)
_LEAST = 6  # a shorter line of source says nothing and could be anything
_EMPTIED = ("sources", "variables")


class Redactor:
    """Takes source and paths out; the same file gets the same name in everything it is given."""

    def __init__(self, *structs: msgspec.Struct) -> None:
        plain = [msgspec.to_builtins(struct) for struct in structs]
        paths = dict.fromkeys(path for item in plain for path in _paths(item) if path)
        self._names: dict[str, str] = {}
        for path in paths:
            self._names[path] = self._name(path)
        own = [path for path in paths if not is_interpreter(path)]
        spelled = {os.path.basename(path): self._names[path] for path in own}
        spelled |= {path: self._names[path] for path in own}
        self._spelled = spelled
        self._path_words = _any_of(spelled)
        lines = {text.strip() for item in plain for text in _source_lines(item)}
        self._source = _any_of(line for line in lines if len(line) >= _LEAST)

    def redact(self, struct: _T) -> _T:
        """`struct` without source and paths."""
        plain = msgspec.to_builtins(struct)
        changed = self._walk(plain)
        if plain.get("name"):
            changed["name"] = self._spelled.get(plain["name"], "the program")
        return msgspec.convert(changed, type(struct))

    def _name(self, path: str) -> str:
        if is_interpreter(path):
            return _PUBLIC.sub("", path)
        number = sum(not is_interpreter(known) for known in self._names) + 1
        folder = "site-packages/" if is_library(path) else ""
        return f"{folder}file{number}{os.path.splitext(path)[1]}"

    def _walk(self, value: Any, key: str = "") -> Any:
        match value:
            case str() if key == "path":
                return self._names.get(value, "file")
            case str():
                return self._scrub(value)
            case dict() if key in _EMPTIED:
                return {}
            case dict():
                frame = "function" in value and "column" not in value
                return {
                    name: "" if frame and name == "code" else self._walk(item, name)
                    for name, item in value.items()
                }
            case list() | tuple() if key == "command":
                return []
            case list() | tuple():
                return [self._walk(item) for item in value]
            case _:
                return value

    def _scrub(self, text: str) -> str:
        text = _TRACEBACK_CODE.sub(r"\1", text)
        text = _COMMENT.sub("", text)
        if self._source:
            text = self._source.sub("…", text)
        if self._path_words:
            text = self._path_words.sub(lambda found: self._spelled[found[0]], text)
        return _PATH.sub("…", text)


def _any_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted({text for text in texts if text}, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(r"(?<![\w.])(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")


def _paths(value: Any) -> Iterator[str]:
    match value:
        case dict():
            if isinstance(value.get("path"), str):
                yield value["path"]
            if isinstance(value.get("sources"), dict):
                yield from value["sources"]
            for item in value.values():
                yield from _paths(item)
        case list() | tuple():
            for item in value:
                if not isinstance(item, (int, float)):
                    yield from _paths(item)


def _source_lines(value: Any) -> Iterator[str]:
    match value:
        case dict():
            if isinstance(value.get("code"), str):
                yield value["code"]
            sources = value.get("sources")
            if isinstance(sources, dict):
                for lines in sources.values():
                    yield from lines.values()
            for item in value.values():
                yield from _source_lines(item)
        case list() | tuple():
            for item in value:
                if not isinstance(item, (int, float)):
                    yield from _source_lines(item)
