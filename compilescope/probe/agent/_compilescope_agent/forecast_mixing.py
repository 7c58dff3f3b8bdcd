"""Calls of several kinds, mixed: what varied in some calls may vary in the others, too."""

from __future__ import annotations

import sys
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .forecast_inputs import Candidate, Change
from .forecast_parts import MISSING, containers, part, put, tree
from .forecast_samples import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .forecast_explore import Search
    from .forecast_parts import Keys
    from .forecast_samples import Kind, Sample

_MOST_KINDS = 6
_MOST_SAMPLES = 3
MODES = ("grad", "inference", "training", "autocast", "dtype")


def mix(search: Search, kinds: list[Kind]) -> None:
    """Each difference between two kinds of calls, alone; then containers of other lengths."""
    for one, other in permutations(kinds[:_MOST_KINDS], 2):
        differences = [*_parts(one.samples[-1], other.samples[-1])]
        modes = [
            name
            for name in MODES
            if getattr(one.samples[-1].ambient, name) != getattr(other.samples[-1].ambient, name)
        ]
        if len(differences) + len(modes) < 2:
            continue
        for keys in differences:
            _first(search, (_with_part(search, *pair, keys) for pair in _pairs(one, other)))
        for name in modes:
            _first(search, (_with_mode(*pair, name) for pair in _pairs(one, other)))
    for keys, held in _varied(kinds).items():
        for sample, value in _lengths(held):
            attempt_part(search, sample, keys, value)


def attempt_part(search: Search, sample: Sample, keys: Keys, value: Any) -> bool:
    """Try `sample` with one part replaced."""
    return search.attempt(replaced(search, sample, keys, value))


def replaced(search: Search, sample: Sample, keys: Keys, value: Any) -> Candidate:
    """`sample` with one part replaced, or left out for MISSING."""
    args, kwargs = put(sample, keys, value)
    before = part(tree(sample), keys)
    kind = "value"
    if isinstance(value, (list, tuple, dict)) or isinstance(before, (list, tuple, dict)):
        kind = "structure"
    name = search.notes.name_of(sample, keys)
    change = Change(kind, words(value), source=name, held=words(before))
    return Candidate(sample.but(args, kwargs, changes=(change,)))


def in_mode(sample: Sample, name: str, value: Any) -> Candidate:
    """`sample` with one mode changed."""
    held = _mode_words(name, getattr(sample.ambient, name))
    change = Change("mode", _mode_words(name, value), source=_MODE_NAMES[name], held=held)
    return Candidate(sample.but(ambient=sample.ambient.but(**{name: value}), changes=(change,)))


def words(value: Any) -> str:
    """A value as a reader would name it."""
    torch: Any = sys.modules["torch"]
    if value is MISSING:
        return "not given"
    if isinstance(value, torch.Tensor):
        name = "a tensor" if type(value) is torch.Tensor else f"a {type(value).__name__}"
        return f"{name} of {str(value.dtype).removeprefix('torch.')}"
    if isinstance(value, (list, tuple)):
        return "1 item" if len(value) == 1 else f"{len(value)} items"
    if isinstance(value, dict):
        return f"keys {', '.join(map(str, value))}"
    plain = isinstance(value, (bool, int, float, str, type(None)))
    return repr(value)[:80] if plain else f"a {type(value).__name__}"


_MODE_NAMES = {
    "grad": "grad mode",
    "inference": "inference mode",
    "training": "training",
    "autocast": "autocast",
    "dtype": "default dtype",
}


def _mode_words(name: str, value: Any) -> str:
    if name == "autocast":
        return ", ".join(f"{kind}: {dtype}" for kind, dtype in value) or "off"
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _first(search: Search, candidates: Iterator[Candidate]) -> None:
    for candidate in candidates:
        if search.late():
            return
        if search.is_valid(candidate):
            search.attempt(candidate)
            return


def _pairs(one: Kind, other: Kind) -> Iterator[tuple[Sample, Sample]]:
    for mine in one.samples[-_MOST_SAMPLES:]:
        for theirs in other.samples[-_MOST_SAMPLES:]:
            yield mine, theirs


def _parts(one: Sample, other: Sample) -> Iterator[Keys]:
    """Arguments that are of another kind in `other`."""
    places = [("args", place) for place in range(max(len(one.args), len(other.args)))]
    names = [("kwargs", name) for name in {**one.kwargs, **other.kwargs}]
    for keys in (*places, *names):
        mine, theirs = part(tree(one), keys), part(tree(other), keys)
        if _shape(mine) != _shape(theirs):
            yield keys


def _shape(value: Any) -> Any:
    if value is MISSING:
        return None
    pytree: Any = sys.modules["torch.utils._pytree"]
    leaves, spec = pytree.tree_flatten(value)
    return spec, tuple(kind_of(leaf) for leaf in leaves)


def _with_part(search: Search, mine: Sample, theirs: Sample, keys: Keys) -> Candidate:
    return replaced(search, mine, keys, part(tree(theirs), keys))


def _with_mode(mine: Sample, theirs: Sample, name: str) -> Candidate:
    return in_mode(mine, name, getattr(theirs.ambient, name))


def _varied(kinds: list[Kind]) -> dict[Keys, list[tuple[Sample, Any]]]:
    """Containers whose length or keys differ between calls."""
    found: dict[Keys, list[tuple[Sample, Any]]] = {}
    for kind in kinds:
        for keys, held in containers(kind.samples[-1]):
            found.setdefault(keys, []).append((kind.samples[-1], held))
    return {
        keys: held
        for keys, held in found.items()
        if len({_outline(value) for _, value in held}) > 1
    }


def _outline(value: Any) -> Any:
    return frozenset(value) if isinstance(value, dict) else len(value)


def _lengths(held: list[tuple[Sample, Any]]) -> Iterator[tuple[Sample, Any]]:
    """The container shorter and longer than it came, or with other sets of its keys."""
    maps = [(sample, value) for sample, value in held if isinstance(value, dict)]
    lists = [(sample, value) for sample, value in held if not isinstance(value, dict)]
    if maps:
        union = {key: item for _, value in maps for key, item in value.items()}
        always = set.intersection(*(set(value) for _, value in maps))
        sample = maps[-1][0]
        yield sample, union
        for left_out in [key for key in union if key not in always]:
            yield sample, {key: item for key, item in union.items() if key != left_out}
        yield sample, {key: item for key, item in union.items() if key in always}
    if lists:
        seen = {len(value) for _, value in lists}
        sample, longest = max(lists, key=lambda pair: len(pair[1]))
        wanted = {*range(min(seen), max(seen)), max(seen) + 1, min(seen) - 1, 1, 0} - seen
        for length in sorted(wanted, reverse=True):
            if 0 <= length <= max(seen) + 1 and longest:
                yield sample, resized(longest, length)


def resized(value: Any, length: int) -> Any:
    """The list or tuple cut or extended by its last item."""
    items = [*value, *[value[-1]] * length][:length]
    return type(value)(items)
