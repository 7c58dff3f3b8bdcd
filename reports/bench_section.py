"""A result of bench as a section of the page of the session that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import benching_plots as plots
from . import benching_words as words

if TYPE_CHECKING:
    from compilescope.benching import Benching


class BenchSection:
    """What the section shows of the result."""

    head = words.HEAD
    states = words.STATES

    def __init__(self, found: Benching) -> None:
        self.verdict = found.verdict
        self.rows = tuple(words.rows(found))
        self.remarks = tuple(words.remarks(found))
        self.forest = plots.forest(found)
        self.payback = plots.payback(found)
        self.good = found.best is not None
        # The page already has the program's name.
        self.subject = words.subject(found).removeprefix(f"{found.name} · ")
        self.created = found.created[:16].replace("T", " ")
