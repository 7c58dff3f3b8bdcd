"""The whole of `tune`: baseline, search, the best, its patch, the result."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from compilescope import store
from compilescope.diagnose.strips import call_strip
from compilescope.diagnosis import Diagnosis
from compilescope.model import CallStrip, Proof, Session
from compilescope.tune import patching
from compilescope.tune.orders import shuffle
from compilescope.tune.rank import rank
from compilescope.tune.search import Search
from compilescope.tune.strategies import run_strategies
from compilescope.tune.trials import Bench, BudgetSpentError, Ran, StoppedError
from compilescope.tuning import Patch, Trial, Tuning


@dataclass(frozen=True)
class Plan:
    """What to tune, and how far to go."""

    command: tuple[str, ...]
    name: str
    runs: int = 12
    minutes: float = 30.0
    warm_cache: bool = False
    check_outputs: bool = False
    padding: bool = False
    strategies: bool = False
    apply: bool = False
    patch: bool = True
    shuffle: bool = False
    sync: bool = False
    keep: Path | None = None
    quiet: bool = False


def tune(plan: Plan) -> tuple[Tuning, Session]:
    """Try remedies on the program; the result, and the baseline's session with the proofs.

    Raises:
        ProgramError: the program cannot be started.
    """
    folder = plan.keep or Path(tempfile.mkdtemp(prefix="compilescope-tune-"))
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(
        plan.command, plan.name, folder, plan.runs, plan.minutes * 60, plan.warm_cache, plan.sync,
        plan.quiet,
    )  # fmt: skip
    notes: list[str] = []
    try:
        base = _baseline(bench, plan)
        changed, orders = None, None
        with _until_stopped(notes):
            _search(bench, plan, notes)
            changed = _patch(bench, plan)
            best = best_of(bench)
            if plan.shuffle and best is not None:
                orders, more = shuffle(bench, best)
                notes += more
        return _result(bench, base, plan, notes, changed, orders)
    finally:
        if plan.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _baseline(bench: Bench, plan: Plan) -> Ran:
    base = bench.start()
    if plan.check_outputs:
        bench.check_outputs()
    return base


class _until_stopped(suppress):  # noqa: N801  it reads as a with statement
    """Ends the trials at the user's interrupt or the budget's end, and keeps what is known."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(StoppedError, BudgetSpentError, KeyboardInterrupt)
        self._notes = notes

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> bool:
        if kind is not None and issubclass(kind, (StoppedError, KeyboardInterrupt)):
            self._notes.append("stopped before all trials were made")
        return bool(super().__exit__(kind, error, trace))  # type: ignore[arg-type]


def _search(bench: Bench, plan: Plan, notes: list[str]) -> None:
    base = bench.baseline
    assert base is not None
    if plan.strategies:
        notes += run_strategies(bench)
    elif base.trial.measures.recompiles or base.trial.measures.fallbacks:
        Search(bench, plan.padding).run()
    else:
        notes.append("the program does not recompile: nothing to remedy")
    if bench.left() <= 0:
        notes.append("the budget of runs or minutes is spent: --budget and --minutes allow more")


def _patch(bench: Bench, plan: Plan) -> Patch | None:
    best = best_of(bench)
    if best is None or not plan.patch or not best.candidates or plan.strategies:
        return None
    return patching.patch(bench, best, apply=plan.apply)


def best_of(bench: Bench) -> Ran | None:
    """The best trial that is better than the baseline."""
    good = [one for one in bench.done if one.trial.outcome in ("solved", "better")]
    return rank(good)[0] if good else None


def _result(
    bench: Bench,
    base: Ran,
    plan: Plan,
    notes: list[str],
    changed: Patch | None,
    orders: tuple[int, int] | None,
) -> tuple[Tuning, Session]:
    ranked = [one for one in rank(bench.done) if one.candidates or one.trial.label]
    best = best_of(bench)
    if bench.random:
        notes.append(f"two plain runs differ ({bench.random}): outputs cannot be compared")
    tuning = Tuning(
        name=plan.name,
        command=plan.command,
        environment=base.session.environment,
        baseline=base.trial,
        trials=tuple(one.trial for one in ranked),
        best=best.trial.number if best else None,
        patch=changed,
        notes=tuple(notes),
        orders=orders,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    proofs = proofs_of(base.diagnosis, base.trial, tuning.trials, bench.done)
    return tuning, msgspec.structs.replace(base.session, proofs=proofs)


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
                proof = msgspec.structs.replace(proof, before=before, after=after)
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


def save(tuning: Tuning, session: Session, path: Path) -> None:
    """Write the result as JSON, and beside it the baseline's session with the proofs.

    Raises:
        InputError: the folder or file cannot be written.
    """
    data = msgspec.json.format(msgspec.json.encode(tuning), indent=2)
    store.write(data + b"\n", path)
    store.save(session, path.with_name(path.name.removesuffix(".json") + store.SUFFIX))
