"""`compilescope init`: a configuration for this project."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from compilescope.lint.project_setup import Change


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
def command(folder: Path, *, yes: bool) -> None:
    """Write [tool.compilescope], and tell ruff that CS codes are not its own.

    Without that, ruff's RUF102 deletes `# noqa: CS101`. The changes are shown first.
    """
    from compilescope.errors import InputError
    from compilescope.lint.project_setup import changes

    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", hint="name the root of a project")
    found, notes = changes(folder)
    for change in found:
        _show(change)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    if not found:
        print("Nothing to change: compilescope is configured here.")
        return
    if not yes and not click.confirm("Write this?", default=True, err=True):
        print("Nothing was written.", file=sys.stderr)
        return
    for change in found:
        _write(change)
    print("Next: `compilescope lint` checks the sources here.", file=sys.stderr)


def _show(change: Change) -> None:
    before = [] if change.before is None else change.before.splitlines(keepends=True)
    source = "/dev/null" if change.before is None else str(change.path)
    lines = unified_diff(before, change.after.splitlines(keepends=True), source, str(change.path))
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        click.secho(line.rstrip("\n"), fg=colours.get(line[0]))


def _write(change: Change) -> None:
    from compilescope.errors import InputError
    from compilescope.lint.source import Source, write

    try:
        write(Source(change.path, change.after))
    except OSError as error:
        raise InputError(
            f"cannot write {change.path}", cause=error.strerror or str(error)
        ) from error
