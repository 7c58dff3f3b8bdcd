"""The order of the trials: the smallest promising set, what is left of it, its parts, others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from compilescope.tune.plan import candidates, refusals
from compilescope.tune.rank import best_of, rank
from compilescope.tune.remedy import Candidate
from compilescope.tune.situation import Situation
from compilescope.tune.trials import Attempt, Bench, BudgetSpentError, Ran
from compilescope.tune.warm import generic, replay

_NO_GRADIENTS = "does not require grad"  # PyTorch's words for a backward pass without a graph
Plans = Callable[[list[Candidate]], list[Candidate]]
WARM_UPS = 2  # runs that they need
PATIENCE = 4  # trials in a row that bring nothing, before warm-up calls are tried


@dataclass
class Search:
    """What has been tried for each cause."""

    bench: Bench
    padding: bool = False
    plans: dict[str, list[Candidate]] = field(default_factory=dict)
    tried: dict[frozenset[bytes], Ran] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what this torch lacks
    _late: set[bytes] = field(default_factory=set)
    _cut: bool = False  # whether the budget ended it

    def run(self) -> None:
        """Try until a set solves all and is as small as can be, or the budget is spent."""
        try:
            if not self._solve():
                self._warm_up()
            self._shrink()
        except BudgetSpentError:
            self._cut = self._cut or self.bench.left() <= 0
        if self._cut:
            self.notes += self._spent()

    def _solve(self) -> bool:
        """Climb: keep what helped, replace or add where something is left."""
        base = self.bench.baseline
        assert base is not None
        current, positions, step = base, dict[str, int](), 1
        while step <= PATIENCE:
            if self.bench.left() <= self._reserve(current):
                self._cut = True
                break
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
                self._blame(chosen, found.trial.why, positions)
            elif found.trial.outcome == "solved":
                if found.trial.measures.breaks <= base.trial.measures.breaks:
                    return True
                step += 1  # It may be had without another graph break.
            elif _remaining(found) < _remaining(current) or _moved_on(found, current, wanted):
                current, positions, step = found, wanted, 1
            elif found.trial.measures.breaks > base.trial.measures.breaks and self._put_off(
                self._key(chosen) - self._key(current.candidates), positions
            ):
                continue
            else:
                step += 1
        return False

    def _reserve(self, current: Ran) -> int:
        """Runs to keep for warm-up calls and for leaving out what a set does not need."""
        base, parts = self.bench.baseline, len(self._key(current.candidates))
        warm_up = WARM_UPS if base is not None and base.notes.inputs else 0
        return min(max(warm_up, parts + 1 if parts > 1 else 0), self.bench.runs // 3)

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

    def _put_off(self, keys: frozenset[bytes], positions: dict[str, int]) -> bool:
        """Try unbacked marks among `keys` last from now on; False where that was done already.

        Where the code branches on a size that has no value the graph breaks, again and again.
        """
        marks = [one for plan in self.plans.values() for one in plan if one.key in keys]
        new = {one.key for one in marks if one.id.startswith("mark_unbacked")} - self._late
        self._late |= new
        self._replan(positions, lambda plan: sorted(plan, key=lambda one: one.key in self._late))
        return bool(new)

    def _replan(self, positions: dict[str, int], change: Plans) -> None:
        """Change the plan of each cause; `positions` then lead to the same remedies as before."""
        for cause, plan in self.plans.items():
            place = min(positions.get(cause, 0), len(plan) - 1)
            changed = self.plans[cause] = change(plan)
            if cause in positions and plan and plan[place] in changed:
                positions[cause] = changed.index(plan[place])

    def _blame(self, chosen: tuple[Candidate, ...], why: str, positions: dict[str, int]) -> None:
        """Find which of the remedies made the program fail, and never use it again."""
        harmless = {key for keys, ran in self.tried.items() if ran.ok for key in keys}
        new = tuple(one for one in chosen if one.key not in harmless)
        groups = list(_groups(new or chosen))
        bad = [group for group in groups if _takes_gradients(group) and _NO_GRADIENTS in why]
        bad = bad or (groups if new and len(groups) == 1 else [])
        bad = bad or [group for group in groups if not self._attempt(group).ok]
        # None alone: then it is the combination, and the last to come leaves it.
        spoiled = {one.key for group in bad or [groups[-1]] for one in group}
        self._replan(positions, lambda plan: [one for one in plan if one.key not in spoiled])

    def _warm_up(self) -> None:
        """Add warm-up calls to the best set so far that adds no graph break."""
        base = self.bench.baseline
        assert base is not None
        breaks = base.trial.measures.breaks
        best = best_of(one for one in self.bench.done if one.trial.measures.breaks <= breaks)
        kept = best.candidates if best is not None else ()
        for extra in (*generic(base), *replay(base)):
            if self._attempt((*kept, extra)).trial.outcome == "solved":
                return

    def _shrink(self) -> None:
        """Leave out what the best set does not need, by remedy, then by part; then each alone."""
        best = best_of(self.bench.done)
        if best is None:
            return
        groups = list(_groups(best.candidates))
        best = self._left_out(best, groups)
        self._left_out(best, list(_members(best.candidates)))
        for group in groups:
            self._attempt(group)

    def _left_out(self, best: Ran, parts: list[tuple[Candidate, ...]]) -> Ran:
        """The best without those of `parts` that it holds just as well without."""
        left = set(best.trial.left)

        def doubtful(part: tuple[Candidate, ...]) -> tuple[bool, int]:
            return all(one.cause in left for one in part), max(one.weight for one in part)

        # First what did not help its own cause, then what asks most of the user.
        for part in sorted(parts, key=doubtful, reverse=True):
            keys = self._key(part)
            fewer = tuple(one for one in best.candidates if one.key not in keys)
            if fewer and len(fewer) < len(best.candidates):
                best = rank([best, self._attempt(fewer)])[0]
        return best

    def _spent(self) -> Iterator[str]:
        yield "the budget of runs or minutes is spent: --budget and --minutes allow more"
        untried = "; or without ".join(self._untried())
        if untried:
            yield f"the best was not tried without {untried}"

    def _untried(self) -> Iterator[str]:
        """The members of the best set that it was never tried without."""
        best = best_of(self.bench.done)
        own = self._key(best.candidates) if best else frozenset()
        for member in _members(best.candidates) if best and len(own) > 1 else ():
            others = own - self._key(member)
            # Larger sets without it tell as much, where they did worse.
            if not any(others <= key and not self._key(member) & key for key in self.tried):
                yield member[0].text


def _groups(chosen: tuple[Candidate, ...]) -> Iterator[tuple[Candidate, ...]]:
    """`chosen` by remedy: marks of one kind stand and fall together."""
    found: dict[str, list[Candidate]] = {}
    for candidate in chosen:
        found.setdefault(candidate.id, []).append(candidate)
    for group in found.values():
        yield tuple(group)


def _members(chosen: tuple[Candidate, ...]) -> Iterator[tuple[Candidate, ...]]:
    """`chosen` by what it does: one action may be for several causes."""
    for key in dict.fromkeys(one.key for one in chosen):
        yield tuple(one for one in chosen if one.key == key)


def _takes_gradients(group: tuple[Candidate, ...]) -> bool:
    entries = [entry for one in group for entry in one.entries]
    return any(
        entry.section == "modes" and entry.content["mode"] == "grad_mode" for entry in entries
    )


def _moved_on(found: Ran, current: Ran, tried_for: Iterable[str]) -> bool:
    """Whether as many recompiles are left, but for another cause: PyTorch names the first only."""
    gone = set(current.trial.left) - set(found.trial.left)
    new = set(found.trial.left) - set(tried_for)
    return _remaining(found) == _remaining(current) and bool(gone) and bool(new)


def _remaining(ran: Ran) -> int:
    return ran.trial.measures.recompiles + ran.trial.measures.fallbacks
