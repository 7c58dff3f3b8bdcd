"""In a notebook: `%load_ext compilescope`, then `%%compilescope` above a cell."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from compilescope.errors import CompilescopeError, UsageError

if TYPE_CHECKING:
    from compilescope.live import Watch

_USAGE = "%%compilescope [--reset] [-o FILE] [VARIABLE]"


def load_ipython_extension(shell: Any) -> None:
    """Register the magic with IPython's `shell`."""

    def compilescope(line: str, cell: str) -> None:
        """Run the cell and show what torch.compile did in it: causes, fixes, costs.

        %%compilescope [--reset] [-o FILE] [VARIABLE]

        --reset forgets what earlier cells compiled; -o writes the session; VARIABLE becomes the
        watch, for assertions and other reports.
        """
        try:
            _run(shell, line, cell)
        except CompilescopeError as error:
            print(error, file=sys.stderr)

    shell.register_magic_function(compilescope, magic_kind="cell", magic_name="compilescope")


def _run(shell: Any, line: str, cell: str) -> None:
    reset, output, variable = _arguments(line)
    import compilescope

    watch = compilescope.watch(reset=reset, name="cell")
    with watch:
        shell.run_cell(cell)
    _show(watch)
    if output:
        watch.save(output)
    if variable:
        shell.user_ns[variable] = watch


def _show(watch: Watch) -> None:
    display: Any = import_module("IPython.display")
    display.display(Shown(watch))


class Shown:
    """What a notebook draws as HTML, and a terminal as text."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def _repr_html_(self) -> str:
        return self._watch.report("cell")

    def __repr__(self) -> str:
        return self._watch.report("terminal")


def _arguments(line: str) -> tuple[bool, str, str]:
    reset, output, variable = False, "", ""
    try:
        words = iter(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"cannot read `{line}`", cause=str(error), hint=_USAGE) from error
    for word in words:
        if word == "--reset":
            reset = True
        elif word == "-o" and (output := next(words, "")):
            continue
        elif word.isidentifier() and not variable:
            variable = word
        else:
            raise UsageError(f"unexpected `{word}`", hint=_USAGE)
    return reset, output, variable
