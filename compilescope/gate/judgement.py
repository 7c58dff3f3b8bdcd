"""What the gate says of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from compilescope.diagnosis import Break, Cause, Fallback

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis


class Crossing(msgspec.Struct, frozen=True):
    """A limit that the run did not keep, and by what."""

    limit: str  # "max-recompiles", "no-new-causes", ...
    text: str  # "4 recompiles, 0 allowed"
    causes: tuple[Cause, ...] = ()
    breaks: tuple[Break, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()


class Judgement(msgspec.Struct, frozen=True):
    """The limits that were crossed, those that held, and why others cannot be told."""

    crossed: tuple[Crossing, ...] = ()
    held: tuple[Crossing, ...] = ()
    undecided: tuple[str, ...] = ()  # why the run is no evidence: it then does not pass
    holes: tuple[str, ...] = ()  # what the record lacks that can hide a crossing: likewise
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every limit is known to have held."""
        return not self.crossed and not self.undecided and not self.holes

    @property
    def verdict(self) -> str:
        """One sentence."""
        number = len(self.crossed)
        if number:
            return f"{_few(number, 'limit')} crossed"
        if self.undecided or self.holes:
            return "not passed: the run does not show that the limits held"
        return "passed"

    def lines(self) -> list[str]:
        """The verdict with its reasons, a line each."""
        word = "seen" if self.undecided or self.holes else "held"
        return [
            self.verdict,
            *(f"  crossed  {item.limit}: {item.text}" for item in self.crossed),
            *(f"  unknown  {text}" for text in self.undecided),
            *(f"  unknown  the record is incomplete: {text}" for text in self.holes),
            *(f"  {word}     {item.limit}: {item.text}" for item in self.held),
            *(f"  note     {text}" for text in self.notes),
        ]

    def narrowed(self, diagnosis: Diagnosis) -> Diagnosis:
        """`diagnosis` with nothing but what crossed a limit, for any report to show."""
        causes = {cause.id: cause for item in self.crossed for cause in item.causes}
        breaks = {found.id: found for item in self.crossed for found in item.breaks}
        fallbacks = {
            (found.process, found.frame): found for item in self.crossed for found in item.fallbacks
        }
        return msgspec.structs.replace(
            diagnosis,
            causes=tuple(causes.values()),
            graph_breaks=tuple(breaks.values()),
            fallbacks=tuple(fallbacks.values()),
            recovery="",
            notices=(),
            findings=(),
        )


def _few(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
