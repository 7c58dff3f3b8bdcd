"""`compilescope forecast`: the recompilations that have not happened yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compilescope.forecast import KINDS
from compilescope.probe.arguments import ProgramCommand


@click.command(
    cls=ProgramCommand,
    context_settings={"allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the session goes.")
@click.option("--python", metavar="PATH", help="The interpreter that has torch.")
@click.option("--session", type=click.Path(path_type=Path), help="Run the program of this session.")
@click.option(
    "--after-calls",
    type=click.IntRange(1),
    metavar="N",
    help="Explore after N calls and end the program there, instead of at its own end.",
)
@click.option(
    "--budget",
    type=click.FloatRange(1),
    default=120,
    show_default=True,
    metavar="S",
    help="Seconds for the exploration.",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=512,
    show_default=True,
    metavar="MB",
    help="For the samples that are kept, and for one input that is built.",
)
@click.option("--assume-dynamic", is_flag=True, help="Vary also sizes that never varied.")
@click.option(
    "--assume",
    multiple=True,
    type=click.Choice([*KINDS, "all"]),
    help="Vary also this although it never varied; can be given several times.",
)
@click.option(
    "--spec",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TOML that says which arguments can be what.",
)
@click.option(
    "--own-backend",
    is_flag=True,
    help="Compile with the program's backend: finds what only it guards on, takes its time.",
)
@click.option(
    "--emit", type=click.Path(path_type=Path), metavar="FILE", help="Write the warm-up as Python."
)
@click.option(
    "--prove/--no-prove",
    default=True,
    show_default=True,
    help="With --emit: hold the warm-up against one more run of the program.",
)
@click.option(
    "--remedies",
    is_flag=True,
    help="Forecast again under the remedies that may shrink the exposure: one run for each.",
)
@click.option("--check", type=click.IntRange(0), metavar="N", help="Exit 1 above N more graphs.")
@click.option(
    "--format", "form", type=click.Choice(["terminal", "json"]), default="terminal",
    show_default=True, help="The program's own stdout goes to stderr in any case.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Show every input, not the first ones.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT.PY [ARGS]...")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find the inputs that would recompile, from the guards, before they come.

    Runs the program, and at its end calls everything that it compiled again, in a copy of the
    process, with inputs that never came but could: sizes that varied take the values at which
    compilers make a difference. An input that the program cannot take without torch.compile is not
    counted; one that is counted was called and did compile another graph. What has not varied
    though a guard fixes it stands apart, not counted. SESSION is a file of `probe` or `forecast`;
    one that holds a forecast is shown without a run.
    """
    from compilescope.commands.forecast_run import run

    ctx.exit(run(given))
