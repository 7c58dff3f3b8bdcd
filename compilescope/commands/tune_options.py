"""The options of `tune` that say how far its trials go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--budget",
        type=click.IntRange(1),
        metavar="RUNS",
        help="The most runs, without the baseline.  [default: 12; 24 for strategies]",
    ),
    click.option(
        "--minutes",
        type=click.FloatRange(0, min_open=True),
        default=30.0,
        show_default=True,
        help="The most time for all runs.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="The most time for one run.  [default: ten baselines and a minute]",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Runs side by side; their timings are then shared.",
    ),
    click.option("--apply", is_flag=True, help="Write the change that a run of it has proved."),
    click.option(
        "--strategies", is_flag=True, help="Compare the strategies of the published study."
    ),
    click.option(
        "--shuffle", is_flag=True, help="Hold the best against other orders of the calls."
    ),
    click.option("--check-outputs", is_flag=True, help="Run the baseline twice: random outputs?"),
    click.option("--warm-cache", is_flag=True, help="Let the runs share torch's compile cache."),
    click.option("--allow-padding", is_flag=True, help="Also try padding, which changes outputs."),
    click.option(
        "--sync", is_flag=True, help="Wait for the GPU after each call: true times, slower."
    ),
    click.option(
        "--keep",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="Keep every run here, and use those of an earlier tune.",
    ),
)


def how_far(command: F) -> F:
    """Add the options to `command`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
