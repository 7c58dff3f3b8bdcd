"""`compilescope server`: lint in an editor."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--session",
    type=click.Path(path_type=Path),
    help="Show what this run cost; else the last one in .compilescope of the project.",
)
@click.option("--stdio", is_flag=True, help="Understood and not needed: editors give it.")
def command(session: Path | None, *, stdio: bool) -> None:
    """Serve an editor over stdin and stdout: diagnostics as one types, fixes, hovers.

    Needs the extra: pip install "compilescope[server]".
    """
    del stdio
    from compilescope.errors import CompilescopeError

    try:
        from compilescope.server.app import Server
    except ImportError as error:
        raise CompilescopeError(
            "the language server needs pygls",
            cause=str(error),
            hint='pip install "compilescope[server]"',
        ) from error
    Server(session).run()
