"""`compilescope check`: hold a run against limits, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compilescope.commands.check_arguments import GateCommand


@click.command(
    cls=GateCommand,
    context_settings={"ignore_unknown_options": True},
    options_metavar="[OPTIONS]",
)
@click.option("--max-recompiles", type=click.IntRange(0), metavar="N")
@click.option("--max-breaks", type=click.IntRange(0), metavar="N", help="Places, not times.")
@click.option(
    "--max-compile-seconds",
    type=click.FloatRange(0),
    metavar="S",
    help="All compiles of a process together; of several processes the slowest.",
)
@click.option(
    "--after-call",
    type=click.IntRange(0),
    metavar="N",
    help="Warm-up: recompiles in the first N calls of each callable do not count.",
)
@click.option("--no-fallback/--fallback", default=None, help="No function may reach its limit.")
@click.option(
    "--no-new-causes-against",
    "baseline",
    type=click.Path(path_type=Path),
    metavar="BASELINE",
    help="A session: causes, breaks and fallbacks that it lacks are not allowed.",
)
@click.option("--update-baseline", is_flag=True, help="Make this run the baseline.")
@click.option("--allow-incomplete", is_flag=True, help="Pass although the record has holes.")
@click.option(
    "--format",
    "form",
    default="terminal",
    show_default=True,
    help="Also json, github (annotations), sarif, markdown.",
)
@click.option("--output-file", type=click.Path(path_type=Path), help="Write that format here.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Keep the session here.")
@click.option("--python", metavar="PATH", help="The interpreter that has torch.")
@click.option("--config", type=click.Path(path_type=Path), help="Instead of the nearest.")
@click.argument("target", nargs=-1, type=click.UNPROCESSED, metavar="SESSION|SCRIPT.PY [ARGS]...")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Exit with 1 where a run crossed a limit; say what crossed it, why, and the fix.

    SESSION is a file of `probe` or `logs`. A script, `-m MODULE` or `-- ANY COMMAND` is probed
    first; what follows `--` is left alone. Limits also come from [tool.compilescope.check]. A run
    that failed, was cut short or compiled nothing does not pass.
    """
    from compilescope.commands.check_run import check

    ctx.exit(check(given))
