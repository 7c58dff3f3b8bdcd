"""`compilescope tune`: try remedies on a program, each run measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compilescope.commands.tune_options import how_far
from compilescope.errors import ExitCode
from compilescope.probe.arguments import ProgramCommand, program

if TYPE_CHECKING:
    from compilescope.tuning import Tuning


@click.command(
    cls=ProgramCommand,
    context_settings={"allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the result goes.")
@click.option("--python", metavar="PATH", help="The interpreter that has torch.")
@how_far
@click.option("--format", "form", type=click.Choice(["terminal", "markdown", "json"]),
              default="terminal", show_default=True)  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT.PY [ARGS]...")
@click.pass_context
def command(  # noqa: PLR0913  one parameter an option
    ctx: click.Context,
    /,
    output: Path | None,
    python: str | None,
    keep: Path | None,
    form: str,
    command: tuple[str, ...],
    *,
    budget: int | None,
    quiet: bool,
    allow_padding: bool,
    strategies: bool,
    minutes: float,
    **given: Any,
) -> None:
    """Try remedies for the recompiles of a program and show what each of them does.

    The source stays as it is, unless --apply is given. The program is run again and again: point it
    at a short, representative run. Exit code 1: some recompiles could not be removed.
    """
    from compilescope.commands.output import color, width, write
    from compilescope.packs import tuning
    from compilescope.tune.run import Plan, announce, save, tune

    arguments, name = program(command, python)
    path = output or Path(".compilescope") / f"{Path(name).stem}-tuned.json"
    plan = Plan(
        arguments, name, budget or (24 if strategies else 12), minutes,
        padding=allow_padding, strategies=strategies, quiet=quiet, keep=keep, **given,
    )  # fmt: skip
    announce(plan)
    # Written after each trial: whatever ends this run, what is known stays.
    found, session = tune(plan, lambda found, session: save(found, session, path))
    save(found, session, path)
    print(f"compilescope: the result is in {path}, the run it is about beside it", file=sys.stderr)
    write(tuning(form)(found, width=width(), color=color()))
    ctx.exit(_code(found))


def _code(found: Tuning) -> int:
    best = next((one for one in found.trials if one.number == found.best), found.baseline)
    return ExitCode.FINDINGS if best.measures.recompiles else ExitCode.CLEAN
