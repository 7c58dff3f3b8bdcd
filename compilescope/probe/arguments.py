"""Where the probe's own options end and the program's command begins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from compilescope.errors import ProgramError, UsageError
from compilescope.probe import interpreter

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND = "\0command"  # cannot come from a command line: arguments hold no null character
_MODULE = "\0module"


class ProgramCommand(click.Command):
    """A command that ends its own options at a script, at `-m module` and at `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `args` with the program's part marked off."""
        return super().parse_args(ctx, marked(self.params, args))


def marked(params: Sequence[click.Parameter], args: list[str]) -> list[str]:
    """`args` with a marker in place of the `--` or `-m` that begins the program's part."""
    with_value = {
        name
        for param in params
        if isinstance(param, click.Option) and not param.is_flag
        for name in param.opts
    }
    place = 0
    while place < len(args) and args[place].startswith("-") and args[place] != "-":
        word = args[place]
        if word == "--":
            return [*args[:place], _COMMAND, *args[place + 1 :]]
        if word == "-m":
            return [*args[:place], _MODULE, *args[place + 1 :]]
        place += 2 if word in with_value else 1
    return args


def spelled(parts: Sequence[str]) -> tuple[str, ...]:
    """The program's part as the user wrote it, for another `probe` to read."""
    if not parts:
        return ()
    return ({_COMMAND: "--", _MODULE: "-m"}.get(parts[0], parts[0]), *parts[1:])


def program(parts: Sequence[str], python: str | None) -> tuple[tuple[str, ...], str]:
    """The command to run and the name that people know the program by.

    Raises:
        UsageError: no program was named.
        ProgramError: the script does not exist, or nothing at hand can run it.
    """
    marker, rest = (parts[0], parts[1:]) if parts else ("", parts)
    if marker in (_COMMAND, _MODULE):
        if not rest:
            what = "command after `--`" if marker == _COMMAND else "module after `-m`"
            raise UsageError(f"no {what}", hint="compilescope probe --help")
        if marker == _COMMAND:
            return tuple(rest), _name(rest)
        return (interpreter.choose(python), "-m", *rest), rest[0]
    if not parts:
        raise UsageError(
            "no program was named",
            hint="compilescope probe script.py, -m module, or -- command",
        )
    script = Path(parts[0])
    if not script.exists():
        raise ProgramError(
            f"{script} does not exist",
            cause=f"there is no such file in {Path.cwd()}",
            hint="for a program that is not a Python script: compilescope probe -- command",
        )
    if script.is_dir() and not (script / "__main__.py").exists():
        raise ProgramError(
            f"{script} is a folder without __main__.py",
            hint="name the script in it, or `-m package`",
        )
    return (interpreter.choose(python), *parts), script.name


def _name(command: Sequence[str]) -> str:
    """The script that a launcher (`torchrun`, `python`) runs, or else the launcher."""
    scripts = (part for part in command[1:] if part.endswith(".py") and " " not in part)
    return Path(next(scripts, command[0])).name
