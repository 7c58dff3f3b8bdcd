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
            marked = self._trial.setting.dynamic in ("marked", "unbacked")
            return "" if marked or self._plan.search else "see what --dynamic marked saves"
        if self._found is not None:
            left = self._found.trial.measures.recompiles
            return f"tune left {left} of {self._found.before} (--tuned {self._found.path})"
        return "run tune first"

    def notes(self) -> Iterator[str]:
        """What tune did, or what it would try."""
        if self._trial is None or not self._open or self._plan.call:
            return
        if self._found is not None:
            yield self._found.text
        elif self._plan.search and self._trial.remedies:
            script = shlex.join((*("-m",) * self._plan.module, *self._plan.script))
            tried = "; ".join(self._trial.remedies[:_MOST])
            yield f"`compilescope tune {script}` would try: {tried}"
