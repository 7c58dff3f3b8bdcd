"""`compilescope tui`: sessions in a program that fills the terminal."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SESSION]...")
def command(paths: tuple[Path, ...]) -> None:
    """Browse sessions: causes, calls, frames, breaks, compile time, lint findings, comparison.

    SESSION is a session, a page that `report` wrote, or a folder of them; without one, those in
    `.compilescope/` of this project. Press ? inside for the keys.
    """
    from compilescope.tui.sources import check
    from compilescope.tui.terminal import require

    check(paths)
    require("tui", "`compilescope show SESSION` prints to a pipe")
    from compilescope.tui.app import Scope
    from compilescope.tui.settings import moved_keys

    Scope(paths, keys=moved_keys()).run()
