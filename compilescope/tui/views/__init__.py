"""What the panes show, as plain values: a table and a document for each view of a diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tui.views import (
    breaks,
    calls,
    causes,
    comparison,
    compiles,
    environment,
    functions,
    lint,
    notices,
    symbols,
    trials,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tui.views.index import Index
    from compilescope.tui.views.table import Table

# By the key that shows it.
VIEWS: dict[str, tuple[str, Callable[[Index], Table]]] = {
    "1": ("Causes", causes.table),
    "2": ("Calls", calls.table),
    "3": ("Frames", functions.table),
    "4": ("Breaks", breaks.table),
    "5": ("Time", compiles.table),
    "6": ("Notes", notices.table),
    "7": ("Lint", lint.table),
    "8": ("Compare", comparison.table),
    "9": ("Env", environment.table),
    "0": ("Sym", symbols.table),
    "v": ("Trials", trials.table),
}
