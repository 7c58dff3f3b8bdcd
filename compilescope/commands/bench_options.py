"""The options of `compilescope bench`, and where they end and the program begins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compilescope.bench.plan import is_sizes
from compilescope.probe.arguments import ProgramCommand

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.decorators import FC

_PATH = click.Path(path_type=Path)
_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--call", metavar="MODULE:FUNCTION",
                 help="A function, also FILE.py:FUNCTION, that returns model and inputs."),
    click.option("--modes", default="", metavar="NAMES",
                 help="Modes of torch.compile, with commas between them, or all."),
    click.option("--dynamic", default="", metavar="NAMES",
                 help="None, True, False, marked, unbacked, with commas between them."),
    click.option("--pad", type=click.IntRange(2), multiple=True, metavar="N",
                 help="Pad sizes that vary to a multiple of N for the compiled calls."),
    click.option("--search", is_flag=True,
                 help="Also try marks, padding and the autotuner, and keep what helps."),
    click.option("--tuned", type=_PATH, metavar="FILE",
                 help="Also measure with the best remedies of a result of tune, or its folder."),
    click.option("--shapes", multiple=True, metavar="NAME=N,N…",
                 help="Sizes that FUNCTION is called with: --shapes batch=1,8 seq=128,512."),
    click.option("--train", is_flag=True, help="Measure whole training steps."),
    click.option("--optimizer", default="", metavar="NAME",
                 help="A class of torch.optim for --train. [default: the function's, or AdamW]"),
    click.option("--compile-optimizer", is_flag=True, help="Compile the optimizer's step too."),
    click.option("--autocast", default="", metavar="DTYPE", help="bfloat16 or float16."),
    click.option("--backend", default="", help="Of torch.compile, with --call."),
    click.option("--calls", type=click.IntRange(1), default=64, show_default=True,
                 help="The most calls of a script that are kept and measured."),
    click.option("--only", default="", metavar="NAME",
                 help="Which compiled callable of a script. [default: the one that takes longest]"),
    click.option("--seconds", type=click.FloatRange(0, min_open=True), default=4.0,
                 show_default=True, help="The time of measuring, a setting."),
    click.option("--minutes", type=click.FloatRange(0, min_open=True), default=30.0,
                 show_default=True, help="The most time for everything."),
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                 help="Settings that compile side by side; each is still measured alone."),
    click.option("--no-warm-cache", "warm_cache", is_flag=True, default=True, flag_value=False,
                 help="Leave out the second process that compiles from the cache."),
    click.option("--no-check", "numerics", is_flag=True, default=True, flag_value=False,
                 help="Leave out the comparison of the results."),
    click.option("--against", type=_PATH, metavar="FILE", help="An earlier result to hold it to."),
    click.option("--read", type=_PATH, metavar="FILE", help="Show a result, measure nothing."),
    click.option("-o", "--output", type=_PATH, help="Where the result goes, as JSON."),
    click.option("--page", type=_PATH, metavar="FILE", help="Also write it as an HTML page."),
    click.option("--python", metavar="PATH", help="The interpreter that has torch."),
    click.option("--keep", type=_PATH, help="Keep what the processes wrote in this folder."),
    click.option("--format", "form", default="terminal", show_default=True,
                 type=click.Choice(["terminal", "markdown", "json", "html"])),
    click.option("-q", "--quiet", is_flag=True, help="No progress."),
)  # fmt: skip


class BenchCommand(ProgramCommand):
    """Takes `--shapes batch=1,8 seq=128` as one would write it: every size behind it is its."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `args` with an option of its own for each size."""
        return super().parse_args(ctx, self.spread(args))

    def spread(self, args: list[str]) -> list[str]:
        """`args` with `--shapes` before each of several sizes."""
        with_value = {name for one in self.params if not getattr(one, "is_flag", True)
                      for name in one.opts}  # fmt: skip
        found: list[str] = []
        sizes = False
        for number, word in enumerate(args):
            value = bool(found) and found[-1] in with_value
            if not (word.startswith("-") or sizes or value):
                # The program begins: what follows is its own.
                return found + args[number:]
            if sizes and is_sizes(word) and found[-1] != "--shapes":
                found.append("--shapes")
            elif word.startswith("-"):
                sizes = word == "--shapes"
            found.append(word)
        return found


def bench_options(function: FC) -> FC:
    """All options, in the order of the help."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
