"""What reports for a terminal are printed on: a console in memory, and the text it holds."""

from __future__ import annotations

import io

from rich.console import Console


def blank(width: int, *, color: bool, narrowest: int = 40) -> Console:
    """A console that prints into memory, at least `narrowest` columns wide."""
    return Console(
        file=io.StringIO(),
        width=max(narrowest, width),
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        highlight=False,
        emoji=False,
        markup=False,
    )


def text_on(console: Console) -> str:
    """All that was printed on a `blank` console, without blanks at the ends of lines."""
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
