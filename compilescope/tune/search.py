"""The order of the trials: the smallest promising set, what is left of it, its parts, others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from compilescope.tune.plan import candidates, refusals
from compilescope.tune.rank import rank
from compilescope.tune.remedy import Candidate
from compilescope.tune.situation import Situation
from compilescope.tune.trials import Attempt, Bench, BudgetSpentError, Ran
from compilescope.tune.warm import generic, replay

PATIENCE = 4  # trials in a row that bring nothing, before warm-up calls are tried


@dataclass
class Search:
    """What has been tried for each cause."""

    bench: Bench
    padding: bool = False
    plans: dict[str, list[Candidate]] = field(default_factory=dict)
    tried: dict[frozenset[bytes], Ran] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what this torch lacks

    def run(self) -> None:
        """Try until a set solves all and is as small as can be, or the budget is spent."""
        try:
            if not self._solve():
                self._warm_up()
            self._shrink()
        except BudgetSpentError:
            return

    def _solve(self) -> bool:
        """Climb: keep what helped, replace or add where something is left."""
        base = self.bench.baseline
        assert base is not None
        current, positions, step = base, dict[str, int](), 1
        while step <= PATIENCE:
            self._plan(current)
            wanted = self._positions(current, positions, step)
            chosen = self._chosen(wanted)
            if not chosen:
                return False
            if self._key(chosen) in self.tried:
                step += 1
                continue
            found = self._attempt(chosen)
            if not found.ok:
                self._blame(chosen)
            elif found.trial.outcome == "solved":
                return True
            elif _remaining(found) < _remaining(current):
                current, positions, step = found, wanted, 1
            else:
                step += 1
        return False

    def _positions(self, current: Ran, positions: dict[str, int], step: int) -> dict[str, int]:
        """What to use for each cause: as before, but for those that `current` still has."""
        left = set(current.trial.left)
        wanted = dict(positions)
        for cause in self.plans:
            if cause in positions and cause in left:
                wanted[cause] = positions[cause] + step
            elif cause in left:
                wanted[cause] = step - 1
        return wanted

    def _plan(self, ran: Ran) -> None:
        for cause in ran.diagnosis.causes:
            if cause.id not in self.plans:
                situation = Situation(cause, ran.session, ran.diagnosis, self.padding)
                self.plans[cause.id] = candidates(situation)
                self.notes += [one for one in refusals(situation) if one not in self.notes]

    def _chosen(self, positions: dict[str, int]) -> tuple[Candidate, ...]:
        found: dict[bytes, Candidate] = {}
        for cause, position in positions.items():
            plan = self.plans.get(cause, [])
            if plan:
                # One that has nothing more to offer keeps its last remedy.
                candidate = plan[min(position, len(plan) - 1)]
                found.setdefault(candidate.key + cause.encode(), candidate)
        return tuple(found.values())

    def _key(self, chosen: tuple[Candidate, ...]) -> frozenset[bytes]:
        return frozenset(candidate.key for candidate in chosen)

    def _attempt(self, chosen: tuple[Candidate, ...]) -> Ran:
        key = self._key(chosen)
        if key not in self.tried:
            self.tried[key] = self.bench.attempt(Attempt(chosen))
        return self.tried[key]

    def _blame(self, chosen: tuple[Candidate, ...]) -> None:
        """Find which of the remedies made the program fail, and never use it again."""
        groups = list(_groups(chosen))
        bad = [group for group in groups if not self._attempt(group).ok]
        # None alone: then it is the combination, and the last to come leaves it.
        spoiled = {one.key for group in bad or [groups[-1]] for one in group}
        for cause, plan in self.plans.items():
            self.plans[cause] = [one for one in plan if one.key not in spoiled]

    def _warm_up(self) -> None:
        """Add warm-up calls to the best set so far."""
        base, best = self.bench.baseline, self._best()
        assert base is not None
        helped = best is not None and best.trial.outcome in ("solved", "better")
        kept = best.candidates if best is not None and helped else ()
        for extra in (*generic(base), *replay(base)):
            if self._attempt((*kept, extra)).trial.outcome == "solved":
                return

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


def _remaining(ran: Ran) -> int:
    return ran.trial.measures.recompiles + ran.trial.measures.fallbacks
