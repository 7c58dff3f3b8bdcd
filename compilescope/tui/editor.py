"""The command that opens a file at a line in the user's editor."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import PurePath

_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON = frozenset({"hx", "helix", "subl", "zed", "micro"})
_LINE_OPTION = frozenset({"pycharm", "idea", "charm", "kate", "mate", "gnome-builder"})
_PLUS = frozenset(
    """vi vim nvim view gvim mvim nano pico emacs emacsclient joe jed mg kak ne gedit e vis
    less""".split()
)


def chosen(variables: Mapping[str, str] = os.environ) -> str:
    """The editor that the user asked for, or one that every system has."""
    for name in ("COMPILESCOPE_EDITOR", "VISUAL", "EDITOR"):
        if variables.get(name, "").strip():
            return variables[name]
    return "notepad" if os.name == "nt" else "vi"


def command_for(editor: str, path: str, line: int) -> list[str]:
    """How `editor` (with its own options) opens `path` at `line`; an unknown one gets the path."""
    command = shlex.split(editor, posix=os.name != "nt") or ["vi"]
    name = PurePath(command[0]).name.lower().removesuffix(".exe")
    if line < 1:
        return [*command, path]
    if name in _GOTO:
        return [*command, "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*command, f"{path}:{line}"]
    if name in _LINE_OPTION:
        return [*command, "--line", str(line), path]
    if name in _PLUS:
        return [*command, f"+{line}", path]
    return [*command, path]
