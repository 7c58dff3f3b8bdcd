"""What bench found as one HTML file: the answer, the table, three plots, and every remark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import benching_plots as plots
from . import benching_words as words
from .markup import written
from .visible import visible

if TYPE_CHECKING:
    from compilescope.benching import Benching


def render(found: Benching, /, **_options: Any) -> str:
    """The page."""
    shown = visible(found)
    return written(
        "benching.html",
        scripts=("early.js",),
        b=shown,
        subject=words.subject(shown),
        head=words.HEAD,
        rows=list(words.rows(shown)),
        cases_head=words.CASES,
        cases=list(words.cases(shown)),
        earlier_head=words.EARLIER,
        earlier=list(words.earlier(shown)),
        remarks=list(words.remarks(shown)),
        forest=plots.forest(shown),
        dots=list(plots.dots(shown)),
        payback=plots.payback(shown),
        numerics=[
            (trial.name, one)
            for trial in shown.trials
            for one in trial.numerics.rows
            if one.compiled is not None
        ],
        states=words.STATES,
        good=shown.best is not None,
        cautions=shown.trials[shown.best or 0].cautions if shown.trials else (),
    )
