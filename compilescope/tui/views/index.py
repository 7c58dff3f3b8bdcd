"""A diagnosis with what the views look up in it again and again."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.tui.views.words import letters

if TYPE_CHECKING:
    from compilescope.comparison import Comparison
    from compilescope.diagnosis import CallSeries, Cause, Compile, Diagnosis, Recompile
    from compilescope.tui.tried import Tried

CallKey = tuple[int, int | None, int]  # process, callable, call


class Index:
    """One diagnosis, the series of calls that is being looked at, the run beside it, the trials."""

    def __init__(
        self,
        diagnosis: Diagnosis,
        series: int = 0,
        comparison: Comparison | None = None,
        tried: Tried | None = None,
    ) -> None:
        self.diagnosis = diagnosis
        self.number = series if series < len(diagnosis.calls) else 0
        self.comparison = comparison
        self.tried = tried

    @cached_property
    def series(self) -> CallSeries | None:
        """The calls that the strip and the view of calls show."""
        return self.diagnosis.calls[self.number] if self.diagnosis.calls else None

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letter of each cause, by its id."""
        return letters(cause.id for cause in self.diagnosis.causes)

    @cached_property
    def causes(self) -> dict[str, Cause]:
        """Causes by id."""
        return {cause.id: cause for cause in self.diagnosis.causes}

    @cached_property
    def recompiles_of(self) -> dict[str, list[Recompile]]:
        """Recompiles by the id of their cause, the dearest first."""
        found: dict[str, list[Recompile]] = defaultdict(list)
        for item in self.diagnosis.recompiles:
            found[item.cause].append(item)
        for items in found.values():
            items.sort(key=lambda item: -item.seconds_lost)
        return found

    @cached_property
    def recompiles_at(self) -> dict[CallKey, list[Recompile]]:
        """Recompiles by the call that brought them."""
        found: dict[CallKey, list[Recompile]] = defaultdict(list)
        for item in self.diagnosis.recompiles:
            if item.call is not None:
                found[item.process, item.callable, item.call].append(item)
        return found

    @cached_property
    def compiles_at(self) -> dict[CallKey, list[Compile]]:
        """Compiles by the call that paid for them."""
        found: dict[CallKey, list[Compile]] = defaultdict(list)
        for item in self.diagnosis.compiles:
            if item.call is not None:
                found[item.process, item.callable, item.call].append(item)
        return found

    @cached_property
    def recompile_with(self) -> dict[tuple[int, str], Recompile]:
        """Recompiles by process and compile id."""
        return {(item.process, item.compile_id): item for item in self.diagnosis.recompiles}

    @cached_property
    def paid(self) -> frozenset[int]:
        """Calls of the series that paid for a compile."""
        return frozenset(self.series.compiled) if self.series else frozenset()

    @cached_property
    def eager(self) -> frozenset[int]:
        """Calls of the series that ran eagerly."""
        return frozenset(self.series.eager) if self.series else frozenset()

    def key(self, call: int) -> CallKey:
        """Where a call of the series stands among all calls."""
        series = self.series
        return (series.process, series.callable, call) if series else (0, None, call)

    @cached_property
    def _letters_at(self) -> dict[CallKey, str]:
        return {
            key: ",".join(dict.fromkeys(self.letters.get(item.cause, "?") for item in items))
            for key, items in self.recompiles_at.items()
        }

    def letter_at(self, call: int) -> str:
        """The letters of the causes at a call of the series; "" where nothing was recompiled."""
        return self._letters_at.get(self.key(call), "")

    @cached_property
    def marks(self) -> dict[int, str]:
        """What the strip writes under a call: a cause, a first compile or an eager call."""
        found = dict.fromkeys(self.eager, "!")
        for call in self.paid:
            # One column is one letter wide; past Z the caption has the whole name.
            found[call] = self.letter_at(call)[:1] or "▴"
        return found
