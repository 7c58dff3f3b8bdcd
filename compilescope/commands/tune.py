"""`compilescope tune`: try remedies on a program, each run measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
@click.option("--budget", type=click.IntRange(1), metavar="RUNS",
              help="The most runs, without the baseline.  [default: 12, 24]")  # fmt: skip
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=30.0,
              show_default=True, help="The most time for all runs.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
              help="The most time for one run.  [default: ten baselines and a minute]")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Runs side by side; their timings are then shared.")  # fmt: skip
@click.option("--apply", is_flag=True, help="Write the change that a run of it has proved.")
@click.option("--strategies", is_flag=True, help="Compare the strategies of the published study.")
@click.option("--shuffle", is_flag=True, help="Hold the best against other orders of the calls.")
@click.option("--check-outputs", is_flag=True, help="Run the baseline twice: random outputs?")
@click.option("--warm-cache", is_flag=True, help="Let the runs share torch's compile cache.")
@click.option("--allow-padding", is_flag=True, help="Also try padding, which changes outputs.")
@click.option("--sync", is_flag=True, help="Wait for the GPU after each call: true times, slower.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Keep every run here, and use those of an earlier tune.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["terminal", "markdown", "json"]),
              default="terminal", show_default=True)  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT.PY [ARGS]...")
@click.pass_context
def command(  # noqa: PLR0913  one parameter an option
    ctx: click.Context,
    output: Path | None,
    python: str | None,
    budget: int | None,
    minutes: float,
    timeout: float | None,
    jobs: int,
    keep: Path | None,
    form: str,
    command: tuple[str, ...],
    *,
    apply: bool,
    strategies: bool,
    shuffle: bool,
    check_outputs: bool,
    warm_cache: bool,
    allow_padding: bool,
    sync: bool,
    quiet: bool,
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
        arguments, name, budget or (24 if strategies else 12), minutes, timeout, jobs,
        warm_cache=warm_cache, check_outputs=check_outputs, padding=allow_padding,
        strategies=strategies, shuffle=shuffle, apply=apply, sync=sync, keep=keep, quiet=quiet,
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
