"""Sizes: each at the values at which compilers make a difference, alone and together."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from .forecast_inputs import Candidate
from .forecast_sizes import Group, crossed, fresh, groups, guard_numbers, number_guards, relations
from .forecast_spec import limits
from .forecast_strides import PRODUCT

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_inputs import Place
    from .forecast_samples import Kind, Sample

_NEW = 3  # values in a row that each compile: every further one will
_MOST_COMBINED = 3000


class Sizing:
    """The sizes and numbers of one kind of call."""

    def __init__(self, search: Search, kind: Kind) -> None:
        self._search = search
        self._kind = kind
        self._known: set[int] = set()
        self._numbers: set[int] = set()
        everything = "sizes" in search.options.get("assume", ())
        self._groups = groups(
            search.watched, kind, everything=everything, limits=limits(search, kind.samples[0])
        )
        self._follow = relations(kind, self._groups)
        for group in self._groups:
            group.special = [value for value in group.boundaries() if value in group.seen]

    def run(self) -> Candidate:
        """Explore all but combinations; an input with nothing special is returned."""
        sample = self._kind.samples[-1]
        used = _used(sample, self._kind)
        general = self._general(sample, used)
        for group in self._groups:
            self._singles(general, group, used)
        self._split(general, used)
        self._from_guards(general)
        self._equal(general)
        return general

    def combine(self, general: Candidate) -> None:
        """Special sizes of several groups at once, the fewest first."""
        moving = [group for group in self._groups if group.special and not group.number]
        choices = sorted(
            product(*([None, *group.special] for group in moving)),
            key=lambda choice: sum(value is not None for value in choice),
        ) if 3 ** len(moving) < _MOST_COMBINED else self._pairs(moving)  # fmt: skip
        for choice in choices:
            assigned = {
                group: value
                for group, value in zip(moving, choice, strict=True)
                if value is not None
            }
            for layout in ("", PRODUCT) if 0 in assigned.values() else ("",):
                if self._search.late():
                    return
                self._set(general, assigned, layout)

    def _general(self, sample: Sample, used: set[int]) -> Candidate:
        """An input at which all sizes that vary differ from each other and are nothing special."""
        best = Candidate(sample)
        for round_ in range(2):
            assigned: dict[Group, int] = {}
            for group in self._groups:
                if group.number:
                    continue
                taken = used | set(assigned.values())
                values = fresh(group, taken, round_ + 1)
                if values:
                    assigned[group] = values[-1]
            candidate = Candidate(sample, _sizes(assigned, self._follow))
            if self._search.is_valid(candidate):
                self._search.attempt(candidate, general=True)
                best = candidate
        if best.sizes == {}:
            ordinary = [
                other
                for other in self._kind.samples
                if all(0 not in fact and 1 not in fact for fact in _shapes(other))
            ]
            best = Candidate(ordinary[-1]) if ordinary else best
        return best

    def _singles(self, general: Candidate, group: Group, used: set[int]) -> None:
        news = 0
        values = fresh(group, used, _NEW)
        for value in values:
            news += self._set(general, {group: value})
        group.unbounded = bool(values) and news == len(values)
        if group.unbounded:
            self._search.notes.unbounded(general.sample, group.places)
        limits = crossed(group, number_guards()) if group.real else []
        for value in [*group.boundaries(), *limits, *group.round_sizes(used)]:
            new = self._set(general, {group: value})
            # Served alone, 0 and 1 may still need a graph together with others.
            if (new or (value < 2 and not group.number)) and value not in group.special:
                group.special.append(value)

    def _split(self, general: Candidate, used: set[int]) -> None:
        """Sizes that were always equal may not have to be: each alone, then two together."""
        for group in self._groups:
            if len(group.places) < 2 or group.number:
                continue
            value = next(iter(fresh(group, used | set(general.sizes.values()), 1)), None)
            if value is None:
                continue
            left = set(group.places)
            for count in (1, 2):
                if len(group.places) <= count:
                    break
                for places in combinations(group.places, count):
                    candidate = self._with(general, dict.fromkeys(places, value), places[:1])
                    if left.issuperset(places) and self._search.is_valid(candidate):
                        left -= set(places)
                        self._search.attempt(candidate)

    def _from_guards(self, general: Candidate) -> None:
        """Both sides of every number that a guard over sizes names."""
        for _ in range(3):
            numbers = guard_numbers(self._known) - self._numbers
            self._numbers |= numbers
            for number in sorted(numbers):
                for group in self._groups:
                    if group.real:
                        continue
                    top = 4 * max(group.seen[-1], 2)
                    for value in (number - 1, number, number + 1):
                        if (
                            not (1 < value <= top and group.allows(value))
                            or group.unbounded
                            or self._search.late()
                        ):
                            continue
                        if self._set(general, {group: value}):
                            group.special.append(value)

    def _equal(self, general: Candidate) -> None:
        for one, other in combinations(self._groups, 2):
            value = general.sizes.get(other.places[0])
            if value and not one.number and not other.number and not self._search.late():
                self._set(general, {one: value})

    def _pairs(self, moving: list[Group]) -> list[tuple[int | None, ...]]:
        self._search.cut = True
        found = []
        for one, other in combinations(range(len(moving)), 2):
            for pair in product(moving[one].special, moving[other].special):
                choice: list[int | None] = [None] * len(moving)
                choice[one], choice[other] = pair
                found.append(tuple(choice))
        return found

    def _set(self, general: Candidate, assigned: dict[Group, Any], layout: str = "") -> bool:
        factors = tuple(group.places[0] for group in assigned)
        candidate = self._with(general, _sizes(assigned, self._follow), factors, layout)
        if not self._search.is_valid(candidate) and self._follow:
            candidate = self._with(general, _sizes(assigned, {}), factors, layout)
        return self._search.attempt(candidate)

    def _with(
        self,
        general: Candidate,
        sizes: dict[Place, Any],
        factors: tuple[Place, ...],
        layout: str = "",
    ) -> Candidate:
        return Candidate(general.sample, {**general.sizes, **sizes}, layout, sizes, factors)


def _sizes(assigned: dict[Group, Any], follow: Any) -> dict[Place, Any]:
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
