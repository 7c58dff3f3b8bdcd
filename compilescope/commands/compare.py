"""`compilescope compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path), required=False)
@click.option(
    "--format",
    "form",
    default="terminal",
    show_default=True,
    help="terminal, markdown, html or json.",
)
def command(before: Path, after: Path | None, form: str) -> None:
    """Show what became better or worse from one session to another.

    BEFORE and AFTER are sessions that `probe` or `logs` wrote, or pages that `report` wrote. A
    result of `tune` is shown alone: its trials side by side.
    """
    if after is None:
        _trials(before, form)
        return
    from compilescope.commands.output import color, load, width, write
    from compilescope.diagnose import diagnose
    from compilescope.diagnose.compare import compare
    from compilescope.packs import comparison

    render = comparison(form)
    found = compare(diagnose(load(before)), diagnose(load(after)))
    write(render(found, width=width(), color=color()))


def _trials(path: Path, form: str) -> None:
    """Show the trials of a result of tune.

    Raises:
        UsageError: `path` is something else, and nothing is there to compare it with.
    """
    from compilescope import store
    from compilescope.commands.output import color, width, write
    from compilescope.errors import UsageError
    from compilescope.packs import tuning

    render = tuning(form)
    found = store.load_tuning(path)
    if found is None:
        raise UsageError(
            f"{path} is compared with nothing",
            hint="name two sessions, or a result of `compilescope tune`",
        )
    write(render(found, width=width(), color=color()))
