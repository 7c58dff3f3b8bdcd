"""What `compilescope init` writes: text edits to TOML files that keep everything else."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from compilescope.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = """\
[tool.compilescope]
# compiled = ["package.module:function"]  # what is given to torch.compile from elsewhere
# target-torch = "2.11..2.13"             # instead of the installed one
"""
EXTERNAL = 'external = ["CS"]  # compilescope\'s codes: ruff keeps `# noqa: CS101`'
RUFF_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")


class Change(NamedTuple):
    """A file before and after; `before` is None for a new one."""

    path: Path
    before: str | None
    after: str


def changes(folder: Path) -> tuple[list[Change], list[str]]:
    """What to write in `folder`, and what could not be worked out and is left to the user.

    Raises:
        InputError: a file is not TOML.
    """
    texts = {name: _text(folder / name) for name in (*RUFF_FILES, "compilescope.toml")}
    new = dict(texts)
    notes: list[str] = []
    _add_table(new)
    for name in RUFF_FILES:  # the first that configures ruff is the one that ruff reads
        text = new[name]
        if text is None or not _configures_ruff(name, _parse(folder / name, text)):
            continue
        changed = _with_external(folder / name, text)
        if changed is None:
            where = "[tool.ruff.lint]" if name == "pyproject.toml" else "[lint]"
            notes.append(f'add "CS" to `external` in {where} of {name} by hand')
        else:
            new[name] = changed
        break
    found = [
        Change(folder / name, texts[name], text)
        for name, text in new.items()
        if text is not None and text != texts[name]
    ]
    return found, notes


def _add_table(texts: dict[str, str | None]) -> None:
    pyproject = texts["pyproject.toml"]
    if texts["compilescope.toml"] is not None:
        return
    if pyproject is None:
        body = TABLE.replace("[tool.compilescope]\n", "")
        texts["compilescope.toml"] = f"# Settings of compilescope\n{body}"
        return
    tool = _parse(Path("pyproject.toml"), pyproject).get("tool", {})
    if "compilescope" not in tool:
        gap = "" if not pyproject else "\n" if pyproject.endswith("\n") else "\n\n"
        texts["pyproject.toml"] = f"{pyproject}{gap}{TABLE}"


def _with_external(path: Path, text: str) -> str | None:
    """The text with "CS" among ruff's external codes; None where no edit of ours achieves it."""
    before = _parse(path, text)
    listed = _external(path.name, before)
    if listed is not None and "CS" in listed:
        return text
    header = r"\[tool\.ruff\.lint\]" if path.name == "pyproject.toml" else r"\[lint\]"
    table = re.search(rf"(?m)^[ \t]*{header}[ \t]*(?:#.*)?\r?\n", text)
    if table is None:
        title = "[tool.ruff.lint]" if path.name == "pyproject.toml" else "[lint]"
        gap = "\n" if text.endswith("\n") else "\n\n"
        candidate = f"{text}{gap}{title}\n{EXTERNAL}\n"
    elif listed is None:
        candidate = f"{text[: table.end()]}{EXTERNAL}\n{text[table.end() :]}"
    else:
        inside = re.compile(r"(?m)^([ \t]*external[ \t]*=[ \t]*\[)(\s*)").search(text, table.end())
        if inside is None:
            return None
        comma = ("," if "\n" in inside[2] else ", ") if listed else ""
        gap = inside[2] if "\n" in inside[2] and listed else ""
        rest = text[inside.end() :]
        candidate = f'{text[: inside.start()]}{inside[1]}{gap}"CS"{comma}{gap}{rest}'
    wanted = [*(listed or []), "CS"]
    try:
        after = tomllib.loads(candidate)
    except tomllib.TOMLDecodeError:
        return None
    right = sorted(_external(path.name, after) or []) == sorted(wanted)
    return candidate if right else None


def _external(name: str, content: dict[str, Any]) -> list[str] | None:
    ruff = content.get("tool", {}).get("ruff", {}) if name == "pyproject.toml" else content
    lint = ruff.get("lint", {})
    found = lint.get("external", ruff.get("external"))
    return found if isinstance(found, list) else None


def _configures_ruff(name: str, content: dict[str, Any]) -> bool:
    return name != "pyproject.toml" or "ruff" in content.get("tool", {})


def _text(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}", cause=str(error)) from error


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not valid TOML", cause=str(error)) from error
