"""`compilescope show`: a session in the terminal, or in another format on stdout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    default="terminal",
    help="terminal, json, markdown, sarif, github, html, perfetto or cell.",
)
@click.option("--all", "everything", is_flag=True, help="Every remedy and notice.")
def command(file: Path, form: str, *, everything: bool) -> None:
    """Print a session: verdict, causes by the seconds they cost, fixes.

    FILE is a session that `probe` wrote, or a page that `report` wrote.
    """
    from compilescope import store
    from compilescope.bench.beside import bench_of
    from compilescope.commands.output import emit, load
    from compilescope.diagnose import diagnose
    from compilescope.packs import report

    report(form)  # a mistyped format is told before a large file is read
    session = load(file)
    inside: dict[str, Any] = {}
    if form == "html":
        inside = {"session_json": store.encode(session), "benching": bench_of(session, file)}
    emit(diagnose(session), form, everything=everything, **inside)
