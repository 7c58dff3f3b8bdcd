"""Which sizes move together, and which values are worth trying for them."""

from __future__ import annotations

import re
import sys
from itertools import combinations
from typing import TYPE_CHECKING, Any

from .forecast_samples import Kind, Sample, Watched, is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .forecast_inputs import Place

Limits = tuple[tuple[int, int], ...]  # ranges, ends included

_SIZES = re.compile(r"\.size\(\)\[|\.stride\(\)\[")
_NUMBER = re.compile(r"(?<![\w.\[])\d+(?![\w.\]])")
_REAL = re.compile(r"(?<![\w.\['])-?\d+\.\d+(?:e[+-]?\d+)?")
_COMPARED = re.compile(r"LAMBDA_GUARD: .*L\['.* (?:<=?|>=?|!=) ")
_MOST_NUMBERS = 8
_MOST_LIMITS = 4


class Group:
    """Places that were equal in every call, and vary."""

    def __init__(
        self, places: tuple[Place, ...], seen: list[Any], limits: Limits | None = None
    ) -> None:
        self.places = places
        self.limits = limits  # the user's word
        ends = [end for limit in limits or () for end in limit]
        self.seen = sorted({value for value in (*seen, *ends) if value is not None})
        self.number = all(dimension is None for _, dimension in places)
        self.real = self.number and any(isinstance(value, float) for value in self.seen)
        self.special: list[Any] = []  # values that have, or need, a graph of their own
        self.unbounded = False  # every further value needs a graph of its own

    def boundaries(self) -> list[Any]:
        """The sizes at which compilers make a difference, or the numbers next to those seen."""
        if self.real:
            return [value for value in (0.0, 1.0) if self.seen[0] <= value <= self.seen[-1]]
        if self.number:
            low, high = self.seen[0], self.seen[-1]
            return [value for value in (0, 1) if low <= value + 2 and value <= high]
        return [value for value in (0, 1) if self.allows(value)]

    def allows(self, value: Any) -> bool:
        """Whether the user's limits, if any, let the size be `value`."""
        return self.limits is None or any(low <= value <= high for low, high in self.limits)

    def round_sizes(self, used: set[int]) -> list[int]:
        """2, the largest that came, and sizes that powers of two divide to different depths."""
        if self.number:
            return []
        middle = (self.seen[0] + self.seen[-1]) // 2
        sixteen = max(middle // 16, 1) * 16
        found = [2, self.seen[0], self.seen[-1], sixteen, sixteen + 8, sixteen + 4]
        return [
            value
            for value in dict.fromkeys(found)
            if value > 1 and (value not in used or value in self.seen) and self.allows(value)
        ]


def groups(
    watched: Watched, kind: Kind, *, everything: bool, limits: dict[Place, Limits]
) -> list[Group]:
    """The groups of a kind of call, of sizes and numbers that may vary."""
    sample = kind.samples[0]
    facts = list(kind.facts)
    varied = _varied_anywhere(watched)
    single = sum(len(other.facts) for other in watched.kinds.values()) == 1
    found: dict[Any, list[Place]] = {}
    for place in _places(sample):
        seen = tuple(_value(fact, place) for fact in facts)
        moves = len(set(seen)) > 1 or _name(sample, place) in varied
        marked = _is_marked(sample, place)
        limit = limits.get(place)
        open_ = place[1] is not None and (
            limit is not None or everything or (single and watched.dynamic is True and seen[0] > 1)
        )
        if place[1] is None and not moves:
            continue
        key = (seen, moves if moves or place[1] is not None else place, limit)
        if moves or marked or open_:
            found.setdefault(key, []).append(place)
    return [Group(tuple(places), list(key[0]), key[2]) for key, places in found.items()]


def fresh(group: Group, used: set[int], count: int) -> list[Any]:
    """Values of no particular kind: not met, not equal to another size, odd."""
    if group.real:
        low, high = group.seen[0], group.seen[-1]
        return [low + (high - low) * part for part in (0.37, 0.71, 0.53)][:count]
    low, high = (max(group.seen[0], 3), max(group.seen[-1], 3)) if group.seen else (3, 9)
    middle = (low + high) // 2
    order = [*range(middle, high + 1), *range(middle, low - 1, -1), *range(high + 1, high + 99)]
    found = [value for value in order if value % 2 and value not in used and group.allows(value)]
    return found[:count]


def guard_numbers(known: set[int]) -> set[int]:
    """Numbers that guards over sizes name in all graphs compiled so far; `known` is extended."""
    found: set[int] = set()
    for line in _guards(known):
        if _SIZES.search(line):
            found |= {int(number) for number in _NUMBER.findall(line)}
    return set(sorted(number for number in found if 2 < number < 1 << 20)[:_MOST_NUMBERS])


def crossed(group: Group, guards: Iterable[str]) -> list[float]:
    """Values on both sides of the limits of a number that `guards` name, near those seen."""
    low, high = group.seen[0], group.seen[-1]
    span = high - low
    limits: set[float] = set()
    for line in guards:
        compared = _COMPARED.search(line)
        if compared and not _SIZES.search(line):
            numbers = [float(number) for number in _REAL.findall(line)]
            # A limit may stand on one side of the comparison and be moved to the other.
            limits.update(numbers)
            limits.update(abs(one - other) for one, other in combinations(numbers, 2))
    near = sorted(limit for limit in limits if low - span < limit < high + span)[:_MOST_LIMITS]
    return [limit + side * span for limit in near for side in (-0.05, 0.05)]


def number_guards() -> list[str]:
    """The guards of all graphs compiled so far."""
    return list(_guards(set()))


def _guards(known: set[int]) -> Iterator[str]:
    entries: Any = sys.modules["torch._dynamo.eval_frame"]._debug_get_cache_entry_list  # noqa: SLF001
    for reference in list(sys.modules["torch._dynamo.convert_frame"].input_codes.seen):
        code = reference()
        for entry in entries(code) if code is not None else ():
            if id(entry) not in known:
                known.add(id(entry))
                for line in str(entry.guard_manager).splitlines():
                    yield line.split("  #")[0]


def relations(kind: Kind, found: list[Group]) -> dict[Group, list[tuple[Group, int, int]]]:
    """Groups that followed another in every call: times a factor, plus a constant."""
    facts = list(kind.facts)
    vectors = {group: [_value(fact, group.places[0]) for fact in facts] for group in found}
    follow: dict[Group, list[tuple[Group, int, int]]] = {}
    for one in found:
        for other in found:
            if one is other or len(set(vectors[one])) < 2 or len(set(vectors[other])) < 2:
                continue
            pairs = list(zip(vectors[one], vectors[other], strict=True))
            offset = pairs[0][1] - pairs[0][0]
            factor = pairs[0][1] // pairs[0][0] if pairs[0][0] else 0
            if len(set(pairs)) > 2 and all(b - a == offset for a, b in pairs):
                follow.setdefault(one, []).append((other, 1, offset))
            elif factor > 1 and all(b == a * factor for a, b in pairs):
                follow.setdefault(one, []).append((other, factor, 0))
    return follow


def _places(sample: Sample) -> Iterator[Place]:
    for number, leaf in enumerate(sample.leaves):
        if is_tensor(leaf.value):
            yield from ((number, dimension) for dimension in range(leaf.value.dim()))
        elif type(leaf.value) in (int, float):
            yield number, None


def _value(facts: tuple[Any, ...], place: Place) -> Any:
    fact = facts[place[0]]
    return fact if place[1] is None else fact[place[1]]


def _name(sample: Sample, place: Place) -> Any:
    return str(sample.leaves[place[0]].path), place[1]


def _varied_anywhere(watched: Watched) -> set[Any]:
    seen: dict[Any, set[Any]] = {}
    for kind in watched.kinds.values():
        sample = kind.samples[0]
        for place in _places(sample):
            rank = sample.leaves[place[0]].value.dim() if place[1] is not None else 0
            for fact in kind.facts:
                seen.setdefault((_name(sample, place), rank), set()).add(_value(fact, place))
    return {name for (name, _), values in seen.items() if len(values) > 1}


def _is_marked(sample: Sample, place: Place) -> bool:
    value = sample.leaves[place[0]].value
    if place[1] is None:
        return False
    return any(
        place[1] in getattr(value, name, ())
        for name in ("_dynamo_dynamic_indices", "_dynamo_unbacked_indices",
                     "_dynamo_weak_dynamic_indices")
    )  # fmt: skip
