"""What the trials showed about each remedy, for the session that the reports read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compilescope.diagnose.strips import call_strip
from compilescope.diagnosis import Diagnosis
from compilescope.model import CallStrip, Proof
from compilescope.tuning import Trial

if TYPE_CHECKING:
    from compilescope.tune.trials import Ran


def proofs_of(
    diagnosis: Diagnosis, baseline: Trial, trials: tuple[Trial, ...], ran: Iterable[Ran] = ()
) -> tuple[Proof, ...]:
    """What the trials showed about each remedy of each cause, as far as they showed anything.

    Args:
        diagnosis: The run without remedies.
        baseline: Likewise, as a trial.
        trials: The trials, best first.
        ran: The same with their calls: a proof then shows those before and after.
    """
    by_number = {one.trial.number: one for one in ran}
    found = []
    for cause in diagnosis.causes:
        for name in dict.fromkeys(one.id for trial in trials for one in trial.remedies):
            text, trial = _proof(name, cause.id, baseline, trials)
            if trial is None:
                continue
            proof = Proof(name, cause.id, text)
            after = _after(by_number.get(trial.number), cause.callables)
            if after is not None:
                before = call_strip(diagnosis, (after.name,))
                proof = replace(proof, before=before, after=after)
            found.append(proof)
    return tuple(found)


def _after(ran: Ran | None, names: tuple[str, ...]) -> CallStrip | None:
    return call_strip(ran.diagnosis, names, ran.notes.warm_ups) if ran and names else None


def _proof(
    remedy: str, cause: str, baseline: Trial, trials: tuple[Trial, ...]
) -> tuple[str, Trial | None]:
    for trial in trials:
        tried = [one for one in trial.remedies if one.id == remedy and cause in one.causes]
        if tried and trial.outcome in ("solved", "better") and cause not in trial.left:
            names = {one.id for one in trial.remedies} - {remedy}
            count = f"{baseline.measures.recompiles} recompiles to {trial.measures.recompiles}"
            together = f" together with {', '.join(sorted(names))}" * bool(names)
            return f"verified: {count}{together}", trial
    return "", None
