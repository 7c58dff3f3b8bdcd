"""What to do about recompiles that a bench saw: what tune found, or would try."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.bench.tuned import beside

if TYPE_CHECKING:
    from compilescope.bench.plan import Plan
    from compilescope.bench.tuned import Best
    from compilescope.benching import Trial

_MOST = 4
# What a remedy says, and the dynamic setting that does the same.
_WAYS = {
    " dynamic before the first call": "marked",
    " unbacked before the first call": "unbacked",
    "Compile with `dynamic=True`": "True",
}


class Advice:
    """About the recompiles of one trial of a plan."""

    def __init__(self, plan: Plan, trial: Trial | None, torch: str) -> None:
        self._plan = plan
        self._trial = trial
        self._open = trial is not None and bool(trial.recompiles) and not plan.overlay
        self._found: Best | None = None
        if self._open and not plan.call:
            self._found = beside(plan.folder, plan.name, torch)

    @property
    def short(self) -> str:
        """For the verdict; "" where there is nothing to do."""
        if self._trial is None or not self._open:
            return ""
        if self._plan.call:
            way = "" if self._plan.search else self._way(self._trial)
            return f"see what --dynamic {way} saves" if way else ""
        if self._found is not None:
            left = self._found.trial.measures.recompiles
            return f"tune left {left} of {self._found.before} (--tuned {self._found.path})"
        return "run tune first"

    def notes(self) -> Iterator[str]:
        """What tune did, or what it would try."""
        if self._trial is None or not self._open:
            return
        if self._plan.call:
            left = self._left(self._trial)
            if left and not self.short:
                yield f"what may do away with the recompiles: {'; '.join(left[:_MOST])}"
        elif self._found is not None:
            yield self._found.text
        elif self._plan.search and self._trial.remedies:
            script = shlex.join((*("-m",) * self._plan.module, *self._plan.script))
            tried = "; ".join(self._trial.remedies[:_MOST])
            yield f"`compilescope tune {script}` would try: {tried}"

    def _way(self, trial: Trial) -> str:
        """The dynamic setting to try next, "" where none would help."""
        left = self._left(trial)
        ways = (way for words, way in _WAYS.items() if any(words in text for text in left))
        return next(ways, "")

    def _left(self, trial: Trial) -> list[str]:
        """The remedies that no setting of the plan or of its search has tried."""
        known = {trial.setting.dynamic, *(one.dynamic for one in self._plan.settings)}
        if self._plan.search:
            known |= {"marked", "unbacked"}
        if "unbacked" in known:
            known.add("marked")
        tried = [words for words, way in _WAYS.items() if way in known]
        return [text for text in trial.remedies if not any(words in text for words in tried)]
