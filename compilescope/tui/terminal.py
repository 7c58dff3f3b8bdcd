"""The terminal: whether there is one that a program can fill, and how many colours it has."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from compilescope.errors import UsageError


def require(what: str, otherwise: str) -> None:
    """Refuse where nothing can be drawn; Textual reads stdin and draws on stderr.

    Raises:
        UsageError: `what` needs a terminal; `otherwise` is what works without.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{what} needs a terminal", hint=otherwise)
    if os.environ.get("TERM", "") == "dumb":
        raise UsageError(
            f"{what} needs a terminal that can move its cursor",
            cause="TERM=dumb says that this one cannot",
            hint=otherwise,
        )


def has_few_colours(variables: Mapping[str, str]) -> bool:
    """Whether the terminal has 16 colours: its own palette then reads better than an estimate."""
    term = variables.get("TERM", "")
    return not variables.get("COLORTERM") and (
        term in {"linux", "ansi", "cygwin", "vt100", "vt220", "xterm", "screen"}
        or term.endswith("-16color")
    )
