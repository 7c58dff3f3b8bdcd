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
    from compilescope.errors import InputError
    from compilescope.probe.arguments import program
    from compilescope.probe.demo import PROGRAM
    from compilescope.probe.launcher import Run, probe

    # A copy here is the user's own file: it can be read, changed and probed again.
    script = Path(".compilescope") / "demo.py"
    try:
        script.parent.mkdir(exist_ok=True)
        script.write_bytes(PROGRAM.read_bytes())
    except OSError as error:
        hint = "run it in a folder that you can write to"
        raise InputError(f"cannot write {script}", cause=str(error), hint=hint) from error
    print(f"$ compilescope probe {script}", file=sys.stderr)
    arguments, name = program((str(script),), python)
    outcome = probe(Run(arguments, name, output))
    print(file=sys.stderr)
    emit(diagnose(outcome.session), "terminal")
    page = f"compilescope report {outcome.path} --open"
    print(f"\nsession: {outcome.path}\nas a page: {page}", file=sys.stderr)
    ctx.exit(outcome.code)
