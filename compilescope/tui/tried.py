"""What is known so far of the trials that `tune` makes for a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from compilescope.model import Proof
from compilescope.tuning import Trial, Tuning


class Order(msgspec.Struct, frozen=True):
    """What to try: given to the process that makes the trials."""

    command: tuple[str, ...]
    name: str
    folder: str  # where the program is started
    causes: tuple[str, ...] = ()  # ids; none means all
    runs: int = 12
    minutes: float = 30.0
    result: str = ""  # the file that keeps the result


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that it says: what it begins, what came of it, the result."""

    begins: str = ""
    trial: Trial | None = None
    calls: tuple[float, ...] = ()  # seconds of the trial's calls, the slowest of each stretch
    tuning: Tuning | None = None
    files: dict[str, str] = {}  # path to the digest of what the patch was made for
    proofs: tuple[Proof, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Tried:
    """The trials, those that run included."""

    causes: tuple[str, ...] = ()  # that remedies are tried for; none means all
    running: bool = False
    begins: str = ""
    since: float = 0.0  # when that began, by the clock that only goes forward
    baseline: Trial | None = None
    trials: tuple[Trial, ...] = ()
    calls: Mapping[int, tuple[float, ...]] = field(default_factory=dict)  # by trial
    tuning: Tuning | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    def after(self, news: News) -> Tried:
        """The same, and what `news` says."""
        if news.tuning is not None:
            return replace(self, running=False, tuning=news.tuning, files=news.files, begins="")
        if news.error:
            return replace(self, running=False, error=news.error, begins="")
        if news.trial is None:
            return replace(self, begins=news.begins)
        calls = {**self.calls, news.trial.number: news.calls}
        if news.trial.outcome == "baseline":
            return replace(self, baseline=news.trial, calls=calls, begins="")
        return replace(self, trials=(*self.trials, news.trial), calls=calls, begins="")

    @property
    def best(self) -> Trial | None:
        """The trial that the result calls the best."""
        number = self.tuning.best if self.tuning else None
        return next((one for one in self.trials if one.number == number), None)


def of_result(tuning: Tuning) -> Tried:
    """The trials of a result that was kept."""
    return Tried(baseline=tuning.baseline, trials=tuning.trials, tuning=tuning)
