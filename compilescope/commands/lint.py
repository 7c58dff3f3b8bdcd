"""`compilescope lint`: graph breaks and recompile hazards in source."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import click

from compilescope.commands.lint_options import Options, lint_options

if TYPE_CHECKING:
    from compilescope.commands.lint_settings import Plan
    from compilescope.errors import ExitCode


@click.command(options_metavar="[OPTIONS]")
@lint_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find graph breaks and recompile hazards in source, before anything runs.

    PATHS are files and folders of Python and notebooks (default: here); `-` reads a program from
    stdin. Settings come from [tool.compilescope] of the nearest pyproject.toml.
    """
    from compilescope.commands.lint_settings import plan

    planned = plan(Options(**given))
    ctx.exit(_run(planned))


def _run(planned: Plan) -> ExitCode | int:
    from compilescope.commands import lint_output
    from compilescope.commands.lint_run import lint_once

    if planned.options.show_settings:
        lint_output.show_settings(planned)
        return 0
    if planned.options.show_files:
        from compilescope.lint.files import discover

        sys.stdout.write(lint_output.files_shown(discover(planned.paths, planned.settings)))
        return 0
    if planned.options.watch:
        return _watch(planned)
    gc.disable()  # one pass over many trees that all live to its end: collecting finds nothing
    return lint_once(planned)


def _watch(planned: Plan) -> int:
    from compilescope.commands.lint_run import lint_once
    from compilescope.lint.files import discover
    from compilescope.lint.watch import changes

    def show() -> None:
        if sys.stdout.isatty():
            click.clear()
        lint_once(planned)
        sys.stdout.flush()
        print("Watching for changes; Ctrl-C ends it.", file=sys.stderr)

    waiting = changes(lambda: discover(planned.paths, planned.settings))
    try:
        show()
        for _ in waiting:
            show()
    except KeyboardInterrupt:  # the way in which watching ends
        return 0
    return 0  # pragma: no cover  the watch never runs dry
