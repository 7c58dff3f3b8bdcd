"""The exploration: which inputs would compile another graph, until nothing new or no time left."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from .forecast_calls import Caller
from .forecast_inputs import PRODUCT, Candidate
from .forecast_note import Notes
from .forecast_sizes import Group, fresh, groups, guard_numbers, relations

if TYPE_CHECKING:
    from .forecast import Forecast
    from .forecast_inputs import Place
    from .forecast_samples import Kind, Sample, Watched

_REPEATS = 3
_MOST_COMBINED = 3000


def explore(forecast: Forecast) -> None:
    """Explore every callable, and note what was found."""
    _silence()
    _compile_cheaply(own=bool(forecast.options.get("own_backend")))
    deadline = time.monotonic() + forecast.options["budget"]
    watched = [item for item in forecast.watched.values() if item.kinds]
    for place, item in enumerate(watched):
        left = deadline - time.monotonic()
        share = time.monotonic() + left / (len(watched) - place)
        _Search(forecast, item, share).run()
    forecast.record.note("forecast_end", callables=len(watched))


class _Search:
    def __init__(self, forecast: Forecast, watched: Watched, deadline: float) -> None:
        self._watched = watched
        self._deadline = deadline
        self._options = forecast.options
        self._caller = Caller(forecast, watched)
        self._notes = Notes(forecast.record, watched)
        self._tried: set[Any] = set()
        self._valid: dict[Any, bool] = {}
        self._numbers: set[int] = set()
        self._known: set[int] = set()
        self.cut = False

    def run(self) -> None:
        for sample in self._watched.compiles:
            self._notes.observed(sample)
        kinds = sorted(self._watched.kinds.values(), key=lambda kind: -kind.times)
        ready = [kind for kind in kinds if self._repeat(kind)]
        for kind in ready:
            self._explore(kind)
        self._notes.summary(cut=self.cut, left_out=self._watched.left_out)

    def _repeat(self, kind: Kind) -> bool:
        """Call again what was called before: state that moves on compiles for that alone."""
        for sample in kind.samples:
            candidate = Candidate(sample)
            why = self._caller.eager(candidate)
            if why:
                self._notes.unusable(sample, why)
                continue
            if self._caller.served(candidate):
                self._tried.add(candidate.key())
                continue
            ids, error = self._caller.compile(candidate, restore=False)
            again = 0
            while ids and not error and again < _REPEATS:
                more, error = self._caller.compile(candidate, restore=False)
                if not more:
                    break
                again += 1
            self._notes.found(candidate, ids, error, repeat=True, unbounded=again == _REPEATS)
            self._tried.add(candidate.key())
            if again == _REPEATS or not self._caller.served(candidate):
                return False
        return True

    def _explore(self, kind: Kind) -> None:
        sample = kind.samples[-1]
        found = groups(self._watched, kind, everything=bool(self._options.get("assume")))
        follow = relations(kind, found)
        for group in found:
            group.special = [value for value in group.boundaries() if value in group.seen]
        used = _used(sample, kind)
        general = self._general(sample, found, used, follow)
        for group in found:
            self._singles(general, group, used, follow)
        self._split(general, found, used)
        self._from_guards(general, found, follow)
        self._equal(general, found, follow)
        self._combined(general, found, follow)

    def _general(
        self, sample: Sample, found: list[Group], used: set[int], follow: Any
    ) -> Candidate:
        """An input at which all sizes that vary differ from each other and are nothing special."""
        best = Candidate(sample)
        for round_ in range(2):
            assigned: dict[Group, int] = {}
            for group in found:
                if group.number:
                    continue
                taken = used | set(assigned.values())
                assigned[group] = fresh(group, taken, round_ + 1)[-1]
            candidate = self._assigned(sample, assigned, follow)
            if self._is_valid(candidate):
                self._try(candidate, general=True)
                best = candidate
        if best.sizes == {}:
            ordinary = [
                other
                for other in self._watched.kinds[sample.structure()].samples
                if all(0 not in fact and 1 not in fact for fact in _shapes(other))
            ]
            best = Candidate(ordinary[-1]) if ordinary else best
        return best

    def _singles(self, general: Candidate, group: Group, used: set[int], follow: Any) -> None:
        news = 0
        values = fresh(group, used, _REPEATS)
        for value in values:
            news += self._set(general, {group: value}, follow)
        group.unbounded = news == len(values)
        if group.unbounded:
            self._notes.unbounded(general.sample, group)
        for value in [*group.boundaries(), *([] if group.number else [2])]:
            new = self._set(general, {group: value}, follow)
            # Served alone, 0 and 1 may still need a graph together with others.
            if (new or (value < 2 and not group.number)) and value not in group.special:
                group.special.append(value)

    def _split(self, general: Candidate, found: list[Group], used: set[int]) -> None:
        """Sizes that were always equal may not have to be: each alone, then two together."""
        for group in found:
            if len(group.places) < 2 or group.number:
                continue
            value = fresh(group, used | set(general.sizes.values()), 1)[0]
            left = set(group.places)
            for count in (1, 2):
                if len(group.places) <= count:
                    break
                for places in combinations(group.places, count):
                    candidate = self._with(general, dict.fromkeys(places, value), places[:1])
                    if left.issuperset(places) and self._is_valid(candidate):
                        left -= set(places)
                        self._try(candidate)

    def _from_guards(self, general: Candidate, found: list[Group], follow: Any) -> None:
        """Both sides of every number that a guard over sizes names."""
        for _ in range(3):
            numbers = guard_numbers(self._known) - self._numbers
            self._numbers |= numbers
            for number in sorted(numbers):
                for group in found:
                    top = 4 * max(group.seen[-1], 2)
                    for value in (number - 1, number, number + 1):
                        if not 1 < value <= top or group.unbounded or self._late():
                            continue
                        if self._set(general, {group: value}, follow):
                            group.special.append(value)

    def _equal(self, general: Candidate, found: list[Group], follow: Any) -> None:
        for one, other in combinations(found, 2):
            value = general.sizes.get(other.places[0])
            if value and not one.number and not other.number and not self._late():
                self._set(general, {one: value}, follow)

    def _combined(self, general: Candidate, found: list[Group], follow: Any) -> None:
        """Special sizes of several groups at once, the fewest first."""
        moving = [group for group in found if group.special and not group.number]
        choices = sorted(
            product(*([None, *group.special] for group in moving)),
            key=lambda choice: sum(value is not None for value in choice),
        ) if 3 ** len(moving) < _MOST_COMBINED else self._pairs(moving)  # fmt: skip
        for layout in ("", PRODUCT):
            for choice in choices:
                if self._late():
                    return
                assigned = {
                    group: value
                    for group, value in zip(moving, choice, strict=True)
                    if value is not None
                }
                if layout and 0 not in assigned.values():
                    continue
                self._set(general, assigned, follow, layout)

    def _pairs(self, moving: list[Group]) -> list[tuple[int | None, ...]]:
        self.cut = True
        found = []
        for one, other in combinations(range(len(moving)), 2):
            for pair in product(moving[one].special, moving[other].special):
                choice: list[int | None] = [None] * len(moving)
                choice[one], choice[other] = pair
                found.append(tuple(choice))
        return found

    def _set(
        self, general: Candidate, assigned: dict[Group, int], follow: Any, layout: str = ""
    ) -> bool:
        factors = tuple(group.places[0] for group in assigned)
        candidate = self._with(general, _sizes(assigned, follow), factors, layout)
        if not self._is_valid(candidate) and follow:
            candidate = self._with(general, _sizes(assigned, {}), factors, layout)
        return self._try(candidate)

    def _assigned(self, sample: Sample, assigned: dict[Group, int], follow: Any) -> Candidate:
        return Candidate(sample, _sizes(assigned, follow))

    def _with(
        self,
        general: Candidate,
        sizes: dict[Place, Any],
        factors: tuple[Place, ...],
        layout: str = "",
    ) -> Candidate:
        return Candidate(
            general.sample, {**general.sizes, **sizes}, layout, general.values, sizes, factors
        )

    def _is_valid(self, candidate: Candidate) -> bool:
        key = candidate.key()
        if key not in self._valid:
            fits = candidate.bytes() <= self._options["memory"]
            self._valid[key] = fits and not self._caller.eager(candidate)
            self._notes.tried += 1
            self._notes.invalid += not self._valid[key]
        return self._valid[key]

    def _try(self, candidate: Candidate, *, general: bool = False) -> bool:
        """Whether the input needs a graph that does not exist; it exists afterwards."""
        key = candidate.key()
        if key in self._tried or self._late() or not self._is_valid(candidate):
            return False
        self._tried.add(key)
        if self._caller.served(candidate):
            self._notes.served += 1
            if general:
                self._notes.general(candidate)
            return False
        ids, error = self._caller.compile(candidate)
        if not ids and not error:
            self._notes.served += 1
            return False
        self._notes.found(candidate, ids, error, general=general)
        return True

    def _late(self) -> bool:
        if time.monotonic() > self._deadline:
            self.cut = True
        return self.cut and time.monotonic() > self._deadline


def _sizes(assigned: dict[Group, int], follow: Any) -> dict[Place, Any]:
    sizes: dict[Place, Any] = {}
    for group, value in assigned.items():
        for other, factor, offset in follow.get(group, ()):
            if other not in assigned:
                sizes.update(dict.fromkeys(other.places, max(value * factor + offset, 0)))
        sizes.update(dict.fromkeys(group.places, value))
    return sizes


def _shapes(sample: Sample) -> list[tuple[int, ...]]:
    return [fact for fact in sample.facts() if isinstance(fact, tuple)]


def _used(sample: Sample, kind: Kind) -> set[int]:
    used = {size for shape in _shapes(sample) for size in shape}
    for facts in kind.facts:
        used |= {size for fact in facts if isinstance(fact, tuple) for size in fact}
    return used


def _silence() -> None:
    """Nothing of the exploration belongs to what the program prints."""
    with suppress(OSError, ValueError):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)


def _compile_cheaply(*, own: bool) -> None:
    """Let every compile stop after capture, at any number of graphs."""
    config: Any = sys.modules["torch._dynamo.config"]
    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
                 "accumulated_cache_size_limit"):  # fmt: skip
        with suppress(Exception):
            setattr(config, name, 1 << 20)
    if own:
        return
    graph: Any = sys.modules["torch._dynamo.output_graph"].OutputGraph
    compile_ = graph.call_user_compiler

    def call_user_compiler(self: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        held = self.compiler_fn
        self.compiler_fn = lambda captured, _: captured.forward
        try:
            return compile_(self, module, *args, **kwargs)
        finally:
            self.compiler_fn = held

    graph.call_user_compiler = call_user_compiler
