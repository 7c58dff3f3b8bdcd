"""`compilescope tui`: sessions in a program that fills the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SESSION]...")
def command(paths: tuple[Path, ...]) -> None:
    """Browse sessions: causes, calls, frames, breaks, compile time, lint findings, comparison.

    SESSION is a session, a page that `report` wrote, or a folder of them; without one, those in
    `.compilescope/` of this project. Press ? inside for the keys.
    """
    from compilescope.errors import UsageError
    from compilescope.tui.sources import check

    check(paths)
    # Textual draws on stderr.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "tui needs a terminal", hint="`compilescope show SESSION` prints to a pipe"
        )
    from compilescope.tui.app import Scope
    from compilescope.tui.settings import moved_keys

    Scope(paths, keys=moved_keys()).run()
