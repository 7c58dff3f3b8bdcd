"""`compilescope report`: a session or a result of tune as one page that needs nothing else."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("compilescope-report.html"),
    help="Where the page goes; `-` for stdout.  [default: compilescope-report.html]",
)
@click.option("--bench", "benched", type=click.Path(path_type=Path), metavar="FILE",
              help="A result of bench to show in it.  [default: the one beside the session]"
              )  # fmt: skip
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
@click.option("--no-source", is_flag=True, help="Leave out source and paths.")
@click.option("--force", is_flag=True, help="Replace a file that is not a report.")
def command(
    file: Path, output: Path, benched: Path | None, *, show: bool, no_source: bool, force: bool
) -> None:
    """Write a session as one HTML page: offline, without requests, for a browser or to attach.

    FILE is a session that `probe` or `logs` wrote, a result of `tune`, or a page that `report`
    wrote.
    """
    from compilescope import store

    to_stdout = str(output) == "-"
    page = _page(file, benched)
    if not (to_stdout or force):
        _spare(output)
    text = page(source=not no_source)
    data = text.encode("utf-8", "backslashreplace")  # a recorded name may hold a lone surrogate
    if to_stdout:
        sys.stdout.buffer.write(data)
        return
    store.write(data, output)
    print(output)
    if show and click.launch(output.resolve().as_uri()):
        print(f"no browser could be started; open {output} in one", file=sys.stderr)


def _page(file: Path, benched: Path | None) -> Callable[..., str]:
    """What writes the page of `file`."""
    from compilescope import packs, store
    from compilescope.bench import earlier
    from compilescope.bench.beside import bench_of
    from compilescope.commands.output import load
    from compilescope.diagnose import diagnose
    from compilescope.errors import UsageError

    tuned = store.load_tuning(file)
    if tuned is None:
        session = load(file)
        found = earlier.load(benched) if benched else bench_of(session, file)
        render = packs.report("html")
        inside = {"session_json": store.encode(session), "benching": found}
        return partial(render, diagnose(session), **inside)
    if benched:
        raise UsageError("--bench goes with a session", cause=f"{file} is a result of tune")
    # tune writes the run without remedies beside its result.
    beside = file.with_name(file.name.removesuffix(".json") + store.SUFFIX)
    plain = store.encode(load(beside)) if beside.exists() else None
    return partial(packs.tuning("html"), tuned, session_json=plain)


def _spare(path: Path) -> None:
    """Refuse to replace what is not a report.

    Raises:
        UsageError: a file with another content is there.
    """
    from compilescope.errors import UsageError

    try:
        with path.open("rb") as file:
            beginning = file.read(4096)
    except OSError:
        return  # nothing is there, or the writing will say what is wrong
    if beginning and b'<meta name="generator" content="compilescope' not in beginning:
        raise UsageError(
            f"{path} is not a report, and would be replaced",
            hint="name another file with -o, or give --force",
        )
