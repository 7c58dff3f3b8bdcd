"""What never varied: named where it would compile a graph; explored where the user says it may."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import forecast_layouts, forecast_spec
from .forecast_inputs import Candidate
from .forecast_mixing import in_mode, replaced, resized
from .forecast_parts import containers, put, tree
from .forecast_samples import is_tensor
from .forecast_strides import SLICED, TRANSPOSED, WIDER, is_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .forecast_explore import Search
    from .forecast_inputs import Place
    from .forecast_samples import Kind


def assume(search: Search, kind: Kind, general: Candidate) -> None:
    """Variations of `general` that are of no kind that came."""
    chosen = search.options.get("assume", ())
    if "sizes" not in chosen:
        _name(search, _sizes(search, kind, general))
    if "layouts" not in chosen:
        _name(search, _slices(general))
    for name, variations in _VARIATIONS.items():
        if name in chosen:
            for candidate in variations(search, general):
                search.attempt(candidate)
    forecast_spec.explore(search, general)


def _name(search: Search, candidates: Iterator[Candidate]) -> None:
    for candidate in candidates:
        if search.would_compile(candidate):
            search.notes.assumed(candidate)


def _slices(general: Candidate) -> Iterator[Candidate]:
    for number, leaf in enumerate(general.sample.leaves):
        if is_tensor(leaf.value) and is_slice(leaf.value):
            yield forecast_layouts.formed(general, number, WIDER)


def _sizes(search: Search, kind: Kind, general: Candidate) -> Iterator[Candidate]:
    """Each size that was always the same at another value, alone or with those equal to it."""
    sample = general.sample
    constant: dict[int, list[Place]] = {}
    for number, leaf in enumerate(sample.leaves):
        if is_tensor(leaf.value):
            for dimension, size in enumerate(leaf.value.shape):
                if {fact[number][dimension] for fact in kind.facts} == {size}:
                    constant.setdefault(int(size), []).append((number, dimension))
    for size, places in constant.items():
        tied = []
        for place in places:
            found = _valid(search, general, [place], size)
            if found is None:
                tied.append(place)
            else:
                yield found
        found = _valid(search, general, tied, size) if len(tied) > 1 else None
        if found is not None:
            yield found


def _valid(search: Search, general: Candidate, places: list[Place], size: int) -> Candidate | None:
    others = dict.fromkeys((size + 3 + size % 2, size * 2, size // 2))
    for value in others:
        if value > 1 and value != size and not search.late():
            sizes = dict.fromkeys(places, value)
            candidate = Candidate(
                general.sample, {**general.sizes, **sizes}, "", sizes, (places[0],)
            )
            if search.is_valid(candidate):
                return candidate
    return None


def _layouts(_: Search, general: Candidate) -> Iterator[Candidate]:
    yield from _slices(general)
    for number, leaf in enumerate(general.sample.leaves):
        if is_tensor(leaf.value) and leaf.value.dim() > 0:
            for form in (TRANSPOSED, SLICED):
                if form is SLICED or leaf.value.dim() > 1:
                    yield forecast_layouts.formed(general, number, form)


def _values(search: Search, general: Candidate) -> Iterator[Candidate]:
    sample = general.sample
    for keys, value in _plain(search, general):
        if isinstance(value, bool):
            others: tuple[Any, ...] = (not value,)
        elif isinstance(value, int):
            others = (value + 1, 0, 1)
        elif isinstance(value, float):
            others = (value * 1.5 + 0.25, 0.0)
        else:
            continue
        for other in others:
            if other != value:
                yield replaced(search, sample, keys, other)
    for name, default in search.notes.optional():
        for keys in search.notes.keys(sample, name):
            yield replaced(search, sample, keys, default)


def _plain(search: Search, general: Candidate) -> Iterator[tuple[Any, Any]]:
    for number, leaf in enumerate(general.sample.leaves):
        if type(leaf.value) in (bool, int, float):
            keys = search.notes.keys_of_leaf(general.sample, number)
            if all(not (isinstance(key, str) and key.startswith(".")) for key in keys):
                yield keys, leaf.value


def _dtypes(search: Search, general: Candidate) -> Iterator[Candidate]:
    torch: Any = sys.modules["torch"]
    sample = general.sample
    pytree: Any = sys.modules["torch.utils._pytree"]
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):

        def cast(value: Any, dtype: Any = dtype) -> Any:
            return value.to(dtype) if is_tensor(value) and value.is_floating_point() else value

        made = pytree.tree_map(cast, tree(sample))
        yield search.notes.described(
            sample.but(made["args"], made["kwargs"]), "dtype", str(dtype), "floating-point inputs"
        )


def _modes(search: Search, general: Candidate) -> Iterator[Candidate]:
    ambient = general.sample.ambient
    if not ambient.inference:
        yield in_mode(general.sample, "grad", not ambient.grad)
    if ambient.training is not None:
        yield in_mode(general.sample, "training", not ambient.training)
    yield from _requiring(search, general)


def _requiring(search: Search, general: Candidate) -> Iterator[Candidate]:
    sample = general.sample
    for number, leaf in enumerate(sample.leaves):
        value = leaf.value
        keys = search.notes.keys_of_leaf(sample, number)
        if (
            is_tensor(value)
            and value.is_floating_point()
            and not value.is_inference()
            and all(not (isinstance(key, str) and key.startswith(".")) for key in keys)
        ):
            other = value.detach().clone().requires_grad_(not value.requires_grad)
            name = search.notes.name_of(sample, keys)
            text = f"requires_grad={other.requires_grad}"
            made = sample.but(*put(sample, keys, other))
            yield search.notes.described(made, "mode", text, name)


def _lengths(search: Search, general: Candidate) -> Iterator[Candidate]:
    for keys, held in containers(general.sample):
        if isinstance(held, dict):
            for key in held:
                rest = {name: item for name, item in held.items() if name != key}
                yield replaced(search, general.sample, keys, rest)
        elif held:
            for length in (len(held) + 1, len(held) - 1):
                yield replaced(search, general.sample, keys, resized(held, length))


_VARIATIONS = {
    "layouts": _layouts,
    "values": _values,
    "dtypes": _dtypes,
    "modes": _modes,
    "lengths": _lengths,
}
