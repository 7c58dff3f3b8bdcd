"""The order of the trials: the smallest promising set, what is left of it, its parts, others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from compilescope.diagnosis import Cause
from compilescope.tune.plan import Situation, candidates
from compilescope.tune.rank import rank
from compilescope.tune.remedy import Candidate
from compilescope.tune.trials import Bench, BudgetSpentError, Ran
from compilescope.tune.warm import replay


@dataclass
class Search:
    """What has been tried for each cause."""

    bench: Bench
    padding: bool = False
    plans: dict[str, list[Candidate]] = field(default_factory=dict)
    position: dict[str, int] = field(default_factory=dict)
    tried: dict[frozenset[bytes], Ran] = field(default_factory=dict)

    def run(self) -> None:
        """Try until a set solves all and is as small as can be, or the budget is spent."""
        try:
            self._solve()
            self._shrink()
        except BudgetSpentError:
            return

    def _solve(self) -> None:
        base = self.bench.baseline
        assert base is not None
        self._plan(base)
        while True:
            chosen = self._chosen()
            if not chosen:
                break
            found = self._attempt(chosen)
            if found.trial.outcome == "solved":
                break
            if not (self._learn(found) if found.ok else self._blame(chosen)):
                break
        best = self._best()
        if best is None or best.trial.outcome != "solved":
            for extra in replay(base):
                kept = best.candidates if best is not None else ()
                if self._attempt((*kept, extra)).trial.outcome == "solved":
                    return

    def _plan(self, ran: Ran) -> list[str]:
        """Plan for causes that are new; their ids."""
        new = []
        for cause in ran.diagnosis.causes:
            if cause.id not in self.plans and _in_program(cause, ran):
                situation = Situation(cause, ran.session, ran.diagnosis, self.padding)
                self.plans[cause.id] = candidates(situation)
                self.position[cause.id] = 0
                new.append(cause.id)
        return new

    def _chosen(self) -> tuple[Candidate, ...]:
        found: dict[bytes, Candidate] = {}
        for cause, plan in self.plans.items():
            if self.position[cause] < len(plan):
                candidate = plan[self.position[cause]]
                found.setdefault(candidate.key + cause.encode(), candidate)
        return tuple(found.values())

    def _attempt(self, chosen: tuple[Candidate, ...]) -> Ran:
        key = frozenset(candidate.key for candidate in chosen)
        if key not in self.tried:
            self.tried[key] = self.bench.attempt(chosen)
        return self.tried[key]

    def _learn(self, found: Ran) -> bool:
        """Go on to the next remedy for causes that are still there; whether anything changed."""
        left = {cause.id for cause in found.diagnosis.causes if _in_program(cause, found)}
        new = self._plan(found)
        stuck = [
            cause
            for cause in self.plans
            if cause in left and cause not in new and self.position[cause] < len(self.plans[cause])
        ]
        for cause in stuck:
            self.position[cause] += 1
        return bool(new or stuck)

    def _blame(self, chosen: tuple[Candidate, ...]) -> bool:
        """Find which of the remedies made the program fail, and leave it."""
        groups = list(_groups(chosen))
        if len(groups) == 1:
            for candidate in chosen:
                self.position[candidate.cause] += 1
            return True
        bad = [group for group in groups if not self._attempt(group).ok]
        for candidate in [one for group in bad or [groups[-1]] for one in group]:
            self.position[candidate.cause] += 1
        return True

    def _shrink(self) -> None:
        best = self._best()
        if best is None or best.trial.outcome not in ("solved", "better"):
            return
        groups = list(_groups(best.candidates))
        if len(groups) < 2:
            return
        for group in groups:
            self._attempt(group)
        for left_out in groups if len(groups) > 2 else ():
            fewer = tuple(one for one in best.candidates if one not in left_out)
            self._attempt(fewer)

    def _best(self) -> Ran | None:
        ranked = rank([one for one in self.bench.done if one.ok])
        return ranked[0] if ranked else None


def _groups(chosen: tuple[Candidate, ...]) -> Iterator[tuple[Candidate, ...]]:
    """`chosen` by remedy: marks of one kind stand and fall together."""
    found: dict[str, list[Candidate]] = {}
    for candidate in chosen:
        found.setdefault(candidate.id, []).append(candidate)
    for group in found.values():
        yield tuple(group)


def _in_program(cause: Cause, ran: Ran) -> bool:
    """Whether the cause recompiled in a call of the program, and not in a warm-up only."""
    return bool(ran.trial.measures.recompiles) and cause.times > 0
