"""`compilescope compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    default="terminal",
    show_default=True,
    help="terminal, markdown, html or json.",
)
def command(before: Path, after: Path, form: str) -> None:
    """Show what became better or worse from one session to another.

    BEFORE and AFTER are sessions that `probe` or `logs` wrote, or pages that `report` wrote.
    """
    from compilescope.commands.output import color, load, width, write
    from compilescope.diagnose import diagnose
    from compilescope.diagnose.compare import compare
    from compilescope.packs import comparison

    render = comparison(form)
    found = compare(diagnose(load(before)), diagnose(load(after)))
    write(render(found, width=width(), color=color()))
