"""Variations of kinds that never came: layouts, values, types, modes, lengths and keys."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import forecast_layouts, forecast_spec
from .forecast_inputs import Candidate, Change
from .forecast_mixing import in_mode, replaced, resized
from .forecast_parts import MISSING, containers, part, put, tree
from .forecast_samples import is_tensor
from .forecast_strides import SLICED, TRANSPOSED, WIDER, is_slice

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from .forecast_explore import Search
    from .forecast_parts import Keys

_ADDED = "another key"


def assume(search: Search, general: Candidate) -> None:
    """Variations of `general` that are of no kind that came, where the user says they may come."""
    for name in search.options.get("assume", ()):
        for candidate in _VARIATIONS[name](search, general) if name in _VARIATIONS else ():
            search.attempt(candidate)
    forecast_spec.explore(search, general)


def slices(general: Candidate) -> Iterator[Candidate]:
    """Slices of larger tensors, cut out of one of another size."""
    for number, leaf in enumerate(general.sample.leaves):
        if is_tensor(leaf.value) and is_slice(leaf.value):
            yield forecast_layouts.formed(general, number, WIDER)


def _all_layouts(_: Search, general: Candidate) -> Iterator[Candidate]:
    yield from slices(general)
    yield from layouts(general)


def layouts(general: Candidate) -> Iterator[Candidate]:
    """Each tensor transposed in memory, and as a slice of a larger one."""
    for number, leaf in enumerate(general.sample.leaves):
        if is_tensor(leaf.value) and leaf.value.dim() > 0:
            for form in (TRANSPOSED, SLICED):
                if form is SLICED or leaf.value.dim() > 1:
                    yield forecast_layouts.formed(general, number, form)


def values(
    search: Search, general: Candidate, moving: Collection[Keys] = ()
) -> Iterator[Candidate]:
    """Numbers and flags at other values, given or not, and arguments that may be None as None.

    Args:
        search: Of the callable.
        general: An ordinary input.
        moving: Where numbers are that varied: they stay.
    """
    sample = general.sample
    for keys, value in _plain(search, general):
        for other in _others(value) if keys not in moving else ():
            yield replaced(search, sample, keys, other)
    for name, default in search.notes.defaults():
        given = list(search.notes.keys(sample, name))
        if not given:
            for other in _others(default):
                yield replaced(search, sample, ("kwargs", name), other)
        elif default is None and part(tree(sample), given[0]) is not None:
            yield replaced(search, sample, given[0], None)


def given(search: Search, general: Candidate) -> Iterator[Candidate]:
    """Arguments that were None, with an object that stands for anything else: for guards alone."""
    sample = general.sample
    for name, default in search.notes.defaults():
        places = list(search.notes.keys(sample, name)) or [("kwargs", name)]
        value = part(tree(sample), places[0])
        if value is None or (value is MISSING and default is None):
            change = Change("value", "anything else", source=name, held="None")
            yield Candidate(sample.but(*put(sample, places[0], object())), changes=(change,))


def _others(value: Any) -> tuple[Any, ...]:
    """Values of the same type: two of no particular kind, then those that are special."""
    if type(value) is bool:
        return (not value,)
    if type(value) is int:
        return tuple(other for other in (value + 1, value + 2, 0, 1) if other != value)
    if type(value) is float:
        return (value * 1.5 + 0.25, value * 1.25 + 0.5, *([0.0] if value else []))
    return ()


def _plain(search: Search, general: Candidate) -> Iterator[tuple[Any, Any]]:
    for number, leaf in enumerate(general.sample.leaves):
        if type(leaf.value) in (bool, int, float):
            keys = search.notes.keys_of_leaf(general.sample, number)
            if all(not (isinstance(key, str) and key.startswith(".")) for key in keys):
                yield keys, leaf.value


def dtypes(search: Search, general: Candidate) -> Iterator[Candidate]:
    """All tensors of floating-point numbers in another type."""
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


def subclasses(search: Search, general: Candidate) -> Iterator[Candidate]:
    """Each tensor as one of a class of its own."""
    torch: Any = sys.modules["torch"]
    other = type("Subclass", (torch.Tensor,), {})
    sample = general.sample
    for number, leaf in enumerate(sample.leaves):
        keys = search.notes.keys_of_leaf(sample, number)
        if is_tensor(leaf.value) and all(not str(key).startswith(".") for key in keys):
            made = sample.but(*put(sample, keys, leaf.value.detach().as_subclass(other)))
            name = search.notes.name_of(sample, keys)
            yield search.notes.described(made, "dtype", "a subclass of Tensor", name)


def modes(search: Search, general: Candidate) -> Iterator[Candidate]:
    """Each mode of the calling thread and of the module switched, and gradients of the inputs."""
    torch: Any = sys.modules["torch"]
    sample = general.sample
    ambient = sample.ambient
    if ambient.training is not None:
        yield in_mode(sample, "training", not ambient.training)
    kinds = {leaf.value.device.type for leaf in sample.leaves if is_tensor(leaf.value)}
    kind = next(iter(kinds & {"cuda", "cpu"}), "cpu") if len(kinds) == 1 else "cpu"
    yield in_mode(sample, "autocast", () if ambient.autocast else ((kind, torch.bfloat16),))
    other = torch.float64 if ambient.dtype is torch.float32 else torch.float32
    yield in_mode(sample, "dtype", other)
    if not ambient.inference:
        yield in_mode(sample, "inference", value=True)
        yield in_mode(sample, "grad", not ambient.grad)
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


def lengths(search: Search, general: Candidate) -> Iterator[Candidate]:
    """Lists longer and shorter by one, dicts with a key less and with one more."""
    for keys, held in containers(general.sample):
        if isinstance(held, dict):
            for key in held:
                rest = {name: item for name, item in held.items() if name != key}
                yield replaced(search, general.sample, keys, rest)
            if held and all(isinstance(key, str) for key in held):
                more = {**held, _ADDED: next(reversed(held.values()))}
                yield replaced(search, general.sample, keys, more)
        elif held:
            for length in (len(held) + 1, len(held) - 1):
                yield replaced(search, general.sample, keys, resized(held, length))


_VARIATIONS: dict[str, Callable[[Search, Candidate], Iterator[Candidate]]] = {
    "layouts": _all_layouts,
    "values": values,
    "dtypes": dtypes,
    "modes": modes,
    "lengths": lengths,
}
