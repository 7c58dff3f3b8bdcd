"""Which words of `check` are its own, and which are the program's."""

from __future__ import annotations

import click

from compilescope.probe.arguments import marked

_PROGRAM = "compilescope.program"


class GateCommand(click.Command):
    """A command whose options may stand before and after the script, up to a `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `args`, with everything from `--` on kept as it is."""
        own, rest = _split(args)
        begun = marked(self.params, own + rest[:1])
        # `marked` has put its mark where the program begins: at `-m` or at the `--`.
        kept = super().parse_args(ctx, [word for word in begun if word != "--"])
        ctx.params["target"] = (*ctx.params["target"], *rest[1:])
        return kept


def _split(args: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in args:
        return args, []
    at = args.index("--")
    return args[:at], args[at:]
