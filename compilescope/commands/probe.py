"""`compilescope probe`: run a program and record it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compilescope.errors import UsageError
from compilescope.probe.arguments import ProgramCommand, program, spelled

if TYPE_CHECKING:
    from compilescope.probe.launcher import Outcome, Run


@click.command(
    cls=ProgramCommand,
    context_settings={"allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the session goes.")
@click.option("--python", metavar="PATH", help="The interpreter that has torch.")
@click.option("--sync", is_flag=True, help="Wait for the GPU after each call: true times, slower.")
@click.option("--device-time", is_flag=True, help="Time calls on the GPU too, without waiting.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="json: the diagnosis on stdout; the program's own stdout then goes to stderr.",
)
@click.option(
    "--keep-raw", type=click.Path(path_type=Path), help="Keep the raw record in this folder."
)
@click.option(
    "--forecast", is_flag=True, help="At the end find what would recompile: see the verb forecast."
)
@click.option("--tui", is_flag=True, help="Watch it run: calls, compiles and causes as they come.")
@click.option("-q", "--quiet", is_flag=True, help="No closing line.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT.PY [ARGS]...")
@click.pass_context
def command(  # noqa: PLR0913  one parameter an option
    ctx: click.Context,
    output: Path | None,
    python: str | None,
    form: str,
    keep_raw: Path | None,
    command: tuple[str, ...],
    *,
    sync: bool,
    device_time: bool,
    forecast: bool,
    tui: bool,
    quiet: bool,
) -> None:
    """Run a program unchanged and record its compiles, recompiles, graph breaks and calls.

    Instead of SCRIPT.PY also `-m MODULE [ARGS]...` or `-- ANY COMMAND`. The program's input, output
    and exit code stay its own; a signal that ends it gives 128 plus its number.
    """
    from compilescope.probe.launcher import Run, probe

    arguments, name = program(command, python)
    if tui and forecast:
        raise UsageError("--tui and --forecast do not go together", hint="forecast without --tui")
    if tui:
        from compilescope.tui.live_run import watch

        options = (*(("--python", python) if python else ()), *(("--sync",) if sync else ()))
        options += ("--device-time",) if device_time else ()
        ctx.exit(watch(spelled(command), name, output=output, keep_raw=keep_raw, options=options))
    variables = {"COMPILESCOPE_DEVICE_TIME": "1"} if device_time else {}
    run = Run(arguments, name, output, keep_raw, sync, form == "json", variables)
    outcome = _forecast(run) if forecast else probe(run)
    try:
        _conclude(outcome, form, quiet=quiet)
    except Exception as error:  # noqa: BLE001  the program's own exit code comes first
        text = f"error: the session could not be explained ({type(error).__name__}: {error})"
        print(f"{text}\nhint: it is saved in {outcome.path}", file=sys.stderr)
    ctx.exit(outcome.code)


def _forecast(run: Run) -> Outcome:
    from compilescope.forecast.launch import Search, forecast

    return forecast(run, Search())


def _conclude(outcome: Outcome, form: str, *, quiet: bool) -> None:
    from compilescope.diagnose import diagnose

    if quiet and form == "text":
        return
    diagnosis = diagnose(outcome.session)
    if form == "json":
        from compilescope.packs import report

        print(report("json")(diagnosis))
    if not quiet:
        # The program may have left its last line open.
        text = f"\ncompilescope: {diagnosis.verdict}\n  compilescope show {outcome.path}"
        print(text, file=sys.stderr)
        if outcome.session.forecast is not None:
            text = f"  compilescope forecast --session {outcome.path}"
            print(text, file=sys.stderr)
