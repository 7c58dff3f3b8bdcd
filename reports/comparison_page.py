"""Two runs side by side as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .comparison import difference, figures
from .markup import written
from .visible import visible

if TYPE_CHECKING:
    from compilescope.comparison import Comparison


def render(comparison: Comparison, /, **_options: Any) -> str:
    """The page: verdict, totals side by side, then every cause and break that changed."""
    shown = visible(comparison)
    rows = [
        (total, figures(total), difference(total))
        for total in shown.totals
        if total.before or total.after
    ]
    return written(
        "comparison.html", scripts=("early.js", "theme.js", "sort.js"), c=shown, rows=rows
    )
