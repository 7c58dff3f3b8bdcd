"""What the panes show, as plain values: a table and a document for each view of a diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tui.views import (
    breaks,
    calls,
    causes,
    comparison,
    compiles,
    device,
    environment,
    forecast,
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
    "w": ("Forecast", forecast.table),
    "d": ("GPU", device.table),
    "v": ("Trials", trials.table),
}


def named(index: Index | None, active: str) -> dict[str, str]:
    """The views that are worth a place: some only where they have something to show."""
    found = index.diagnosis if index is not None else None
    empty = {
        "w": found is None or found.forecast is None,
        "d": found is None or not (device.rows(found) or found.cudagraphs),
        "v": index is None or index.tried is None,
    }
    return {
        key: name for key, (name, _) in VIEWS.items() if key == active or not empty.get(key, False)
    }
