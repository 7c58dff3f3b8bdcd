"""What a trainer's callback needs, whichever trainer it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

import compilescope
from compilescope import packs
from compilescope.diagnosis import Diagnosis
from compilescope.gate.judge import counted_causes

if TYPE_CHECKING:
    from compilescope.diagnosis import Cause, Recompile
    from compilescope.live import Watch

_MOST_CAUSES = 10  # that get a curve of their own


class StepMonitor:
    """Watches a training run: numbers for its logs, and one warning."""

    def __init__(self, warm_up: int, save_to: str | os.PathLike[str] | None) -> None:
        """Prepare.

        Args:
            warm_up: Steps in which recompiles are expected.
            save_to: Where the session goes at the end.
        """
        self._warm_up = warm_up
        self._save_to = save_to
        self._watch: Watch | None = None
        self._diagnosed: tuple[int, Diagnosis] | None = None
        self._expected: set[tuple[int, str]] | None = None  # recompiles of the warm-up
        self._checked = 0
        self._warned = False
        self._steps = 0

    def start(self, name: str) -> None:
        """Begin to watch; what is compiled already stays compiled."""
        if self._watch is None:
            self._watch = compilescope.watch(reset=False, name=name)
            self._watch.__enter__()

    def stop(self) -> None:
        """End, and write the session where that was asked for."""
        if self._watch is not None:
            self._watch.__exit__(None, None, None)
            if self._save_to is not None:
                self._watch.save(self._save_to)
            self._watch = None
            self._diagnosed = None

    def step(self) -> str:
        """Count a step; the text of the warning where it is the first to recompile too late."""
        self._steps += 1
        if self._watch is None or self._warned or self._steps < self._warm_up:
            return ""
        if self._expected is None:
            self._expected = {_key(item) for item in self._diagnosis(self._watch).recompiles}
            self._checked = self._watch.compiles
            return ""
        if self._watch.compiles == self._checked:  # most steps end here, at the price of a compare
            return ""
        self._checked = self._watch.compiles
        return self._late(self._diagnosis(self._watch), self._expected)

    def numbers(self) -> dict[str, float]:
        """Counts and seconds since the start, each under a name for the logs."""
        if self._watch is None:
            return {}
        found = self._diagnosis(self._watch)
        numbers = {
            "compile/graphs": float(found.counts.compiles),
            "compile/recompiles": float(found.counts.recompiles),
            "compile/graph_breaks": float(found.counts.graph_breaks),
            "compile/seconds": round(found.seconds.compiling, 3),
        }
        for cause in found.causes[:_MOST_CAUSES]:
            name = f"compile/cause/{cause.kind} {cause.source}".rstrip()
            numbers[name] = numbers.get(name, 0.0) + cause.times
        return numbers

    def _late(self, found: Diagnosis, expected: set[tuple[int, str]]) -> str:
        late = [item for item in found.recompiles if _key(item) not in expected]
        if not late:
            return ""
        causes = counted_causes(found, late)
        self._warned = True
        shown = packs.report("terminal")(_only(found, causes), width=100)
        return (
            f"torch.compile recompiled at step {self._steps}, after the {self._warm_up} steps of"
            f" warm-up (said once)\n\n{shown}"
        )

    def _diagnosis(self, watch: Watch) -> Diagnosis:
        if self._diagnosed is None or self._diagnosed[0] != watch.compiles:
            self._diagnosed = (watch.compiles, watch.diagnosis)
        return self._diagnosed[1]


def _only(found: Diagnosis, causes: tuple[Cause, ...]) -> Diagnosis:
    return msgspec.structs.replace(
        found, causes=causes, graph_breaks=(), fallbacks=(), notices=(), calls=(), recovery=""
    )


def _key(item: Recompile) -> tuple[int, str]:
    return item.process, item.compile_id
