"""What has not varied yet, though a guard fixes it: told apart from what varied, and not counted.

Sizes, numbers, lengths and keys are explored as far as those that varied, one after the other;
of layouts, types and modes it is only asked whether a graph takes them.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from . import forecast_assumed as assumed
from .forecast_inputs import Candidate
from .forecast_samples import is_tensor
from .forecast_sizes import groups
from .forecast_spec import limits

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_inputs import Place
    from .forecast_samples import Kind

_ROW = 3  # values in a row that each compile: every further one will


def explore(search: Search, kind: Kind, general: Candidate) -> None:
    """Note what of a kind of call would compile if it varied; `general` is an ordinary input."""
    chosen = search.options.get("assume", ())
    varied = _varied(search, kind)
    if "sizes" not in chosen:
        _sizes(search, kind, general, varied)
    numbers = {search.notes.keys_of_leaf(general.sample, number) for number, _ in varied}
    rows = {
        "values": assumed.values(search, general, numbers),
        "lengths": assumed.lengths(search, general),
        "layouts": assumed.slices(general),
    }
    for name, row in rows.items():
        for candidate in row if name not in chosen else ():
            search.attempt(candidate)
    for candidate in assumed.given(search, general) if "values" not in chosen else ():
        if search.is_refused(candidate):
            search.notes.assumed(candidate)
    asked = {
        "layouts": assumed.layouts(general),
        "dtypes": chain(assumed.dtypes(search, general), assumed.subclasses(search, general)),
        "modes": assumed.modes(search, general),
    }
    for name, row in asked.items():
        for candidate in row if name not in chosen else ():
            if search.would_compile(candidate):
                search.notes.assumed(candidate)


def _varied(search: Search, kind: Kind) -> set[Place]:
    limited = limits(search, kind.samples[0])
    found = groups(search.watched, kind, everything=False, limits=limited)
    return {place for group in found for place in group.places}


def _sizes(search: Search, kind: Kind, general: Candidate, varied: set[Place]) -> None:
    """Each size that was always the same at other values, alone or with those equal to it."""
    for size, places in _constant(kind, general, varied).items():
        tied = [place for place in places if not _other_sizes(search, general, [place], size)]
        if len(tied) > 1:
            _other_sizes(search, general, tied, size)


def _constant(kind: Kind, general: Candidate, varied: set[Place]) -> dict[int, list[Place]]:
    found: dict[int, list[Place]] = {}
    for number, leaf in enumerate(general.sample.leaves):
        if is_tensor(leaf.value):
            for dimension, size in enumerate(leaf.value.shape):
                seen = {fact[number][dimension] for fact in kind.facts}
                if seen == {size} and (number, dimension) not in varied:
                    found.setdefault(int(size), []).append((number, dimension))
    return found


def _other_sizes(search: Search, general: Candidate, places: list[Place], size: int) -> bool:
    """Whether the program takes another size there at all."""
    near = [size + 3 + size % 2, size * 2, size // 2, size + 4 + size % 2, size + 7, size * 3]
    ordinary = (value for value in dict.fromkeys(near) if value > 1 and value != size)
    candidates = (_sized(general, places, value) for value in ordinary)
    usable = list(islice(filter(search.is_valid, candidates), _ROW))
    unbounded = len(usable) == _ROW
    for candidate in usable:
        # One that is served: those after it are, too.
        if not search.attempt(candidate):
            unbounded = False
            break
    if unbounded:
        search.notes.unbounded(general.sample, places[:1])
    if usable:
        for value in (1, 0):
            if value != size:
                search.attempt(_sized(general, places, value))
    return bool(usable)


def _sized(general: Candidate, places: list[Place], value: int) -> Candidate:
    sizes = dict.fromkeys(places, value)
    return Candidate(general.sample, {**general.sizes, **sizes}, "", sizes, (places[0],))
