"""`compilescope bench`: is torch.compile worth it here?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compilescope.commands.bench_options import BenchCommand, bench_options
from compilescope.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.bench.plan import Plan
    from compilescope.benching import Benching, Setting


@click.command(
    cls=BenchCommand,
    context_settings={"allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@bench_options
@click.argument(
    "command", nargs=-1, type=click.UNPROCESSED, metavar="[SCRIPT.PY|SESSION [ARGS]...]"
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Measure compiled against eager calls: how much faster, at what cost, with which results.

    Name a function that returns a model and its inputs (--call), or a script or session: its
    program then runs eagerly, and what it compiles is measured with the inputs that it had. Exit
    code 1: results differ, nothing could be measured, or it is slower than in --against.
    """
    from compilescope import store
    from compilescope.bench import earlier
    from compilescope.bench.run import bench, save
    from compilescope.commands.output import color, width, write
    from compilescope.packs import benching

    before = earlier.load(given["against"]) if given["against"] else None
    plan = _plan(given)
    path = _places(given, plan)
    found = bench(plan) if plan else earlier.load(given["read"])
    if before is not None:
        found = earlier.with_earlier(before, found)
    # Whatever becomes of the files: the answer took its time.
    write(benching(given["form"])(found, width=width(), color=color()))
    if plan:
        save(found, path)
        print(f"compilescope: the result is in {path}", file=sys.stderr)
    if given["page"]:
        store.write(benching("html")(found).encode(), given["page"])
    # What a search tries and gives up is no finding.
    ctx.exit(_code(found, plan.settings if plan and plan.search else None))


def _places(given: dict[str, Any], plan: Plan | None) -> Path:
    """Where the result goes, after a look at every place that is written to."""
    from compilescope.bench import output
    from compilescope.bench.beside import stem

    name = stem(plan.name) if plan else ""
    path: Path = given["output"] or Path(".compilescope") / f"{name}-bench.json"
    if plan:
        output.writable(path, "-o")
    if given["page"]:
        output.writable(given["page"], "--page")
    if given["keep"]:
        output.folder(given["keep"], "--keep")
    return path


def _plan(given: dict[str, Any]) -> Plan | None:
    if given["read"]:
        if given["call"] or given["command"]:
            raise UsageError("--read measures nothing", hint="leave out the program or --call")
        return None
    from compilescope.bench.sources import planned

    return planned(given)


def _code(found: Benching, wanted: Sequence[Setting] | None) -> int:
    from compilescope.bench.earlier import slower

    measured = [one for one in found.trials if one.ratio is not None]
    judged = [one for one in measured if wanted is None or one.setting in wanted]
    differs = any(one.numerics.verdict == "differs" for one in judged)
    return ExitCode.FINDINGS if differs or not measured or slower(found.earlier) else ExitCode.CLEAN
