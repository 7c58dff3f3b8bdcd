"""The whole of `tune`: baseline, search, the best, its patch, the result."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from compilescope import store
from compilescope.errors import ProgramError
from compilescope.model import Called, Session
from compilescope.probe.signals import ended_like_an_interrupt
from compilescope.tune import judge, patching
from compilescope.tune.agreement import TOLERANCE
from compilescope.tune.byhand import left_to_the_user
from compilescope.tune.orders import shuffle
from compilescope.tune.proofs import proofs_of
from compilescope.tune.rank import best_of, rank
from compilescope.tune.runs import StoppedError
from compilescope.tune.search import Search
from compilescope.tune.stdin import spooled
from compilescope.tune.strategies import run_strategies
from compilescope.tune.trials import Bench, BudgetSpentError, Ran
from compilescope.tuning import Patch, Tuning


@dataclass(frozen=True)
class Plan:
    """What to tune, and how far to go."""

    command: tuple[str, ...]
    name: str
    runs: int = 12
    minutes: float = 30.0
    timeout: float | None = None  # seconds for one run
    jobs: int = 1
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


@dataclass
class Found:
    """What is known so far."""

    bench: Bench
    plan: Plan
    notes: list[str] = field(default_factory=list)
    patch: Patch | None = None
    orders: tuple[int, int] | None = None

    def result(self, *, finished: bool) -> tuple[Tuning, Session]:
        """The result as it stands, and the baseline's session with the proofs."""
        bench, plan, base = self.bench, self.plan, self.bench.baseline
        assert base is not None
        ranked = [one for one in rank(bench.done) if one.candidates or one.trial.label]
        best = best_of(bench.done)
        tuning = Tuning(
            name=plan.name,
            command=plan.command,
            environment=base.session.environment,
            baseline=base.trial,
            trials=tuple(one.trial for one in ranked),
            best=best.trial.number if best else None,
            patch=self.patch,
            notes=tuple(dict.fromkeys([*self._left(), *self.notes, *_notes(bench)])),
            orders=self.orders,
            created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            jobs=plan.jobs,
            tolerance=TOLERANCE,
            finished=finished,
        )
        proofs = proofs_of(base.diagnosis, base.trial, tuning.trials, bench.done)
        return tuning, msgspec.structs.replace(base.session, proofs=proofs)

    def _left(self) -> list[str]:
        base, best = self.bench.baseline, best_of(self.bench.done)
        if base is None or self.plan.strategies or (best and best.trial.outcome == "solved"):
            return []
        return list(left_to_the_user(base, best, self.bench.done))


def tune(
    plan: Plan, known: Callable[[Tuning, Session], None] | None = None
) -> tuple[Tuning, Session]:
    """Try remedies on the program; the result, and the baseline's session with the proofs.

    `known` is told of the result as it stands after each trial.

    Raises:
        ProgramError: the program cannot be started, or fails before anything is compiled.
    """
    folder = plan.keep or Path(tempfile.mkdtemp(prefix="compilescope-tune-"))
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(
        plan.command, plan.name, folder, plan.runs, plan.minutes * 60, plan.warm_cache, plan.sync,
        plan.quiet, plan.timeout, plan.jobs, spooled(folder), reuse=plan.keep is not None,
    )  # fmt: skip
    found = Found(bench, plan)
    if known is not None:
        bench.known = lambda: known(*found.result(finished=False))
    try:
        with ended_like_an_interrupt():
            finished = _all(found)
        return found.result(finished=finished)
    finally:
        if plan.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _all(found: Found) -> bool:
    """Everything from the baseline to the patch; whether it came to its end."""
    bench, plan = found.bench, found.plan
    try:
        _usable(bench.start(), plan)
    except StoppedError:
        raise KeyboardInterrupt from None
    try:
        if plan.check_outputs:
            bench.check_outputs()
        _search(found)
        best = best_of(bench.done)
        if best is not None and plan.patch and best.candidates and not plan.strategies:
            found.patch = _patch(bench, best, plan)
        if plan.shuffle and best is not None:
            found.orders, more = shuffle(bench, best)
            found.notes += more
    except BudgetSpentError:
        return True
    except (StoppedError, KeyboardInterrupt):
        found.notes.append("stopped before all trials were made")
        return False
    return True


def _patch(bench: Bench, best: Ran, plan: Plan) -> Patch:
    """The change that does what the best set did; without its warm-up calls, where it has some."""
    good = (one for one in rank(bench.done) if one.trial.outcome in ("solved", "better"))
    plain = next((one for one in good if not one.warms_up and one.candidates), None)
    if not best.warms_up or plain is None:
        return patching.patch(bench, best, apply=plan.apply)
    changed = patching.patch(bench, plain, apply=plan.apply)
    words = "; ".join(one.text for one in best.trial.remedies if one.id.startswith("warm_up"))
    more = f"beside it, at start-up: {words} (`compilescope forecast --emit` writes such calls)"
    return msgspec.structs.replace(changed, paste=(*changed.paste, more))


def _usable(base: Ran, plan: Plan) -> None:
    """Refuse a program that fails before there is anything to remedy."""
    session = base.session
    if judge.ended_well(session) or any(isinstance(one, Called) for one in session.events):
        return
    text = judge.failure(base)
    reads = "EOFError" in text
    hint = (
        "it reads its standard input: give that as a file, `compilescope tune … < input`"
        if reads
        else f"run it by itself first: {' '.join(plan.command)}"
    )
    raise ProgramError(f"{plan.name} fails as it is", cause=text, hint=hint)


def _search(found: Found) -> None:
    bench, base = found.bench, found.bench.baseline
    assert base is not None
    if found.plan.strategies:
        run_strategies(bench, found.notes)
    elif base.trial.measures.recompiles or base.trial.measures.fallbacks:
        Search(bench, found.plan.padding, notes=found.notes).run()
    else:
        found.notes.append("the program does not recompile: nothing to remedy")


def _notes(bench: Bench) -> Iterator[str]:
    base = bench.baseline
    if base is not None and not judge.ended_well(base.session):
        yield f"the program fails as it is: {judge.failure(base)}"
    if bench.random:
        yield f"two plain runs differ ({bench.random}): outputs cannot be compared"
    if bench.jobs > 1:
        yield f"{bench.jobs} runs side by side shared the machine: compare their times with care"
    reused = sum(one.trial.reused for one in (*bench.done, *([base] if base else ())))
    if reused:
        yield f"{reused} of the runs were kept from an earlier tune in this folder"


def save(tuning: Tuning, session: Session, path: Path) -> None:
    """Write the result as JSON, and beside it the baseline's session with the proofs.

    Raises:
        InputError: the folder or file cannot be written.
    """
    data = msgspec.json.format(msgspec.json.encode(tuning), indent=2)
    store.write(data + b"\n", path)
    store.save(session, path.with_name(path.name.removesuffix(".json") + store.SUFFIX))


def announce(plan: Plan) -> None:
    """Say on stderr what is going to happen to the user's program."""
    if not plan.quiet:
        print(
            f"compilescope: {plan.name} is run up to {plan.runs + 2} times, and whatever it writes"
            " it writes each time",
            file=sys.stderr,
        )
