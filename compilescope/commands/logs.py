"""`compilescope logs`: explain logs that exist already."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...", required=True)
@click.option(
    "--format", "form", default="terminal", show_default=True, help="A report: terminal, json, ..."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Save the session here too.")
@click.option("--all", "everything", is_flag=True, help="Every remedy and notice.")
def command(paths: tuple[str, ...], form: str, output: Path | None, *, everything: bool) -> None:
    """Explain logs: TORCH_TRACE files and folders, TORCH_LOGS text, or both of one run.

    PATH may be compressed (.gz, .xz, .zst, .bz2), a folder, a probe's raw folder, a session, a
    tlparse report, or - for standard input: `python train.py 2>&1 | compilescope logs -`.
    """
    from compilescope import store
    from compilescope.commands.output import emit
    from compilescope.diagnose import diagnose
    from compilescope.logs.reader import read
    from compilescope.packs import report

    report(form)  # a mistyped format is told before a large log is read
    files = [Path(path) for path in paths if path != "-"]
    stdin = sys.stdin.buffer if "-" in paths else None
    session = read(files, stdin=stdin)
    if output is not None:
        store.save(session, output)
        print(f"saved {output}", file=sys.stderr)
    emit(diagnose(session), form, everything=everything)
