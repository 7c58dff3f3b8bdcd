"""The command line: verbs that are imported only when called, and errors turned to exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from compilescope import __version__
from compilescope.errors import CompilescopeError, ExitCode

# Verb to (module, one line of help), in the order in which a user meets them.
VERBS = {
    "demo": ("demo", "Probe a bundled program that recompiles, and explain it."),
    "probe": ("probe", "Run a program and record its compiles, recompiles, breaks and calls."),
    "logs": ("logs", "Explain logs that you already have: TORCH_TRACE or TORCH_LOGS."),
    "show": ("show", "Print a session: verdict, causes, fixes."),
    "report": ("report", "Write a session as one HTML page."),
    "compare": ("compare", "Show what became better or worse from one session to another."),
    "check": ("check", "Hold a run against limits, for CI: exit 1 where one is crossed."),
    "forecast": ("forecast", "Name the inputs that would recompile, and write the warm-up."),
    "tune": ("tune", "Try remedies on a program: which work, at what price; the change to make."),
    "bench": ("bench", "Measure compiled against eager calls: faster, at what cost, as exact?"),
    "tui": ("tui", "Browse sessions in the terminal: causes, calls, source, fixes, comparison."),
    "lint": ("lint", "Find graph breaks and recompile hazards in source, with fixes."),
    "rules": ("rules", "List the rules of lint, or run their examples on the installed torch."),
    "explain": ("explain", "Explain a rule, or the rules for a graph-break id of PyTorch."),
    "server": ("server", "Serve an editor: lint while one types, fixes, hovers."),
    "init": ("init", "Write a configuration for this project."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they run, so that `--help` stays instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order in which a user meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"compilescope.commands.{VERBS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, text) for verb, (_, text) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, or an error that names the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(VERBS)}"
            raise click.UsageError(f"unknown command `{args[0]}`; {hint}", ctx=ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 clean, 1 findings, 2 usage or internal error; probe passes the"
    " program's own code through.",
)
@click.version_option(__version__, message="compilescope %(version)s")
def cli() -> None:
    """Find out why torch.compile recompiles or breaks graphs, and what to do about it."""


def main() -> NoReturn:
    """Run the command line and exit."""
    try:
        code = cli.main(prog_name="compilescope", standalone_mode=False)
        sys.stdout.flush()
    except CompilescopeError as error:
        _fail(str(error))
    except click.UsageError as error:
        hint = f"hint: {error.ctx.command_path} --help" if error.ctx else ""
        _fail(f"error: {error.format_message()}\n{hint}".rstrip())
    except click.ClickException as error:
        _fail(f"error: {error.format_message()}")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.CLEAN)
    except Exception as error:
        if os.environ.get("COMPILESCOPE_DEBUG"):
            raise
        _fail(
            f"error: compilescope itself failed ({type(error).__name__}: {error})\n"
            "hint: COMPILESCOPE_DEBUG=1 shows where; please report it with that"
        )
    sys.exit(code if isinstance(code, int) else ExitCode.CLEAN)


def _fail(text: str) -> NoReturn:
    sys.stdout.flush()
    print(text, file=sys.stderr)
    sys.exit(ExitCode.ERROR)
