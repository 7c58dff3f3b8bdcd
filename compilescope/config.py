"""`[tool.compilescope]` in pyproject.toml, or compilescope.toml: found upwards, read strictly."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from compilescope.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMES = (".compilescope.toml", "compilescope.toml", "pyproject.toml")
VERBS = frozenset({"check", "lint", "probe", "report", "tui", "tune"})  # tables of their own

T = TypeVar("T", bound=msgspec.Struct)


class Config(msgspec.Struct, frozen=True):
    """One configuration file: where it stands and the keys of compilescope in it."""

    path: Path | None = None
    values: dict[str, Any] = {}

    @property
    def root(self) -> Path:
        """The folder that relative paths and patterns of the file start from."""
        return self.path.parent if self.path else Path.cwd()


def find(start: Path) -> Config:
    """The nearest configuration at or above `start`; an empty one where there is none.

    A pyproject.toml without `[tool.compilescope]` is passed over, as a workspace member's is.

    Raises:
        InputError: a file on the way is not TOML.
    """
    folder = start if start.is_dir() else start.parent
    for place in (folder, *folder.parents):
        for name in NAMES:
            path = place / name
            if path.is_file():
                values = _table(path)
                if values is not None:
                    return Config(path, values)
    return Config()


def read(path: Path) -> Config:
    """The configuration in `path`, which was named on the command line.

    Raises:
        InputError: missing, not TOML, or without a table of compilescope.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"the configuration {path} {what}", hint="name a .toml file")
    values = _table(path)
    if values is None:
        raise InputError(f"{path} has no table [tool.compilescope]", hint="compilescope init")
    return Config(path.absolute(), values)


def convert(config: Config, verb: str, kind: type[T]) -> T:
    """The keys of `verb`, as `kind`: those of the top table and of `[tool.compilescope.verb]`.

    Raises:
        InputError: an unknown key, a wrong type, or a key that stands in both tables.
    """
    own = config.values.get(verb, {})
    name = _title(config, verb)
    if not isinstance(own, dict):
        raise InputError(f"`{verb}` in {config.path} is not a table", hint=f"write [{name}]")
    top = {key: value for key, value in config.values.items() if key not in VERBS}
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    _check_keys(config, _title(config), top, known)
    _check_keys(config, name, own, known)
    for key in own:
        if key in top:
            raise InputError(
                f"`{key}` stands twice in {config.path}",
                cause=f"in [{_title(config)}] and in [{name}]",
                hint="keep one of them",
            )
    try:
        return msgspec.convert({**top, **own}, kind)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`") or "?"
        raise InputError(f"wrong value of `{key}` in {config.path}", cause=what) from error


def _check_keys(config: Config, table: str, values: dict[str, Any], known: list[str]) -> None:
    for key in values:
        if key in known:
            continue
        near = get_close_matches(key.replace("_", "-"), known, n=1)
        raise InputError(
            f"unknown key `{key}` in [{table}] of {config.path}",
            hint=f"did you mean `{near[0]}`?"
            if near
            else f"known keys: {', '.join(sorted(known))}",
        )


def _title(config: Config, verb: str = "") -> str:
    prefix = "tool.compilescope" if config.path and config.path.name == "pyproject.toml" else ""
    return ".".join(part for part in (prefix, verb) if part) or "top of the file"


def _table(path: Path) -> dict[str, Any] | None:
    """The keys of compilescope in `path`; None for a pyproject.toml that has none."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read {path}", cause=error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML", cause=str(error)) from error
    if path.name != "pyproject.toml":
        tool = content.get("tool", {})
        nested = tool.get("compilescope") if isinstance(tool, dict) else None
        return nested if isinstance(nested, dict) else content
    tool = content.get("tool", {})
    values = tool.get("compilescope") if isinstance(tool, dict) else None
    if values is None or isinstance(values, dict):
        return values
    raise InputError(f"`tool.compilescope` in {path} is not a table")
