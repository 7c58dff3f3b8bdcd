"""`compilescope demo`: the main job on a program that ships with the package."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.option("--python", metavar="PATH", help="The interpreter that has torch.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the session goes.")
@click.pass_context
def command(ctx: click.Context, python: str | None, output: Path | None) -> None:
    """Probe a bundled program that recompiles, and explain it. Needs no GPU."""
    from compilescope.commands.output import emit
    from compilescope.diagnose import diagnose
    from compilescope.probe.arguments import program
    from compilescope.probe.demo import PROGRAM
    from compilescope.probe.launcher import Run, probe

    print(f"compilescope probe {PROGRAM.name}", file=sys.stderr)
    arguments, name = program((str(PROGRAM),), python)
    outcome = probe(Run(arguments, name, output))
    print(file=sys.stderr)
    emit(diagnose(outcome.session), "terminal")
    page = f"compilescope report {outcome.path} --open"
    print(f"\nsession: {outcome.path}\nas a page: {page}", file=sys.stderr)
    ctx.exit(outcome.code)
