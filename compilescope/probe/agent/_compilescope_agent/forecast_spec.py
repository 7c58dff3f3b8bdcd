"""What a spec file says arguments can be, beyond what came."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import forecast_layouts
from .forecast_inputs import Candidate
from .forecast_mixing import in_mode, replaced, resized
from .forecast_parts import part, put, tree
from .forecast_samples import is_tensor
from .forecast_strides import SLICED, TRANSPOSED

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_inputs import Place
    from .forecast_samples import Sample
    from .forecast_sizes import Limits

_LAYOUTS = {"transposed": TRANSPOSED, "sliced": SLICED}


def explore(search: Search, general: Candidate) -> None:
    """Everything that the spec allows and `general` is not."""
    spec: dict[str, Any] = search.options.get("spec") or {}
    defaults = dict(search.notes.defaults())
    for name, may in spec.get("arguments", {}).items():
        given = list(search.notes.keys(general.sample, name))
        for keys in given:
            _argument(search, general, keys, may)
        if not given and name in defaults:
            for value in may.get("values", ()):
                search.attempt(replaced(search, general.sample, ("kwargs", name), value))
    for name, values in spec.get("modes", {}).items():
        for value in values:
            search.attempt(in_mode(general.sample, name, _mode(name, value)))


def limits(search: Search, sample: Sample) -> dict[Place, Limits]:
    """The ranges of the sizes that the spec speaks of."""
    spec: dict[str, Any] = search.options.get("spec") or {}
    found: dict[Place, Limits] = {}
    for number, leaf in enumerate(sample.leaves):
        name = search.notes.name_of(sample, search.notes.keys_of_leaf(sample, number))
        shape = spec.get("arguments", {}).get(name, {}).get("shape", ())
        if is_tensor(leaf.value):
            for dimension, limit in enumerate(shape[: leaf.value.dim()]):
                if limit is not None:
                    found[number, dimension] = tuple((low, high) for low, high in limit)
    return found


def _argument(search: Search, general: Candidate, keys: tuple[Any, ...], may: Any) -> None:
    sample = general.sample
    value = part(tree(sample), keys)
    candidates = [*_layouts(search, general, keys, may)]
    if is_tensor(value):
        candidates += _tensors(search, sample, keys, value, may)
    others: list[Any] = [*([None] if may.get("none") else []), *may.get("values", ())]
    if isinstance(value, (list, tuple)) and value and may.get("length"):
        low, high = may["length"]
        others += [resized(value, length) for length in dict.fromkeys((low, low + 1, high))]
    if isinstance(value, dict):
        others += [
            {key: item for key, item in value.items() if key != optional}
            for optional in may.get("optional", ())
        ]
    candidates += [replaced(search, sample, keys, other) for other in others]
    for candidate in candidates:
        search.attempt(candidate)


def _layouts(search: Search, general: Candidate, keys: Any, may: Any) -> list[Candidate]:
    sample = general.sample
    return [
        forecast_layouts.formed(general, number, _LAYOUTS[layout])
        for number, leaf in enumerate(sample.leaves)
        if search.notes.keys_of_leaf(sample, number) == tuple(keys)
        for layout in may.get("layout", ())
        if layout in _LAYOUTS and is_tensor(leaf.value) and leaf.value.dim() > 1
    ]


def _tensors(
    search: Search, sample: Sample, keys: tuple[Any, ...], value: Any, may: Any
) -> list[Candidate]:
    torch: Any = sys.modules["torch"]
    name = search.notes.name_of(sample, keys)
    found = []
    for dtype in may.get("dtype", ()):
        made = sample.but(*put(sample, keys, value.detach().to(getattr(torch, dtype))))
        found.append(search.notes.described(made, "dtype", dtype, name))
    for wanted in may.get("requires_grad", ()):
        if value.is_floating_point() and wanted != value.requires_grad:
            other = value.detach().clone().requires_grad_(wanted)
            made = sample.but(*put(sample, keys, other))
            found.append(search.notes.described(made, "mode", f"requires_grad={wanted}", name))
    return found


def _mode(name: str, value: Any) -> Any:
    torch: Any = sys.modules["torch"]
    if name == "autocast":
        kind, _, dtype = str(value).partition(":")
        return ((kind, getattr(torch, dtype)),) if dtype else ()
    return getattr(torch, value) if name == "dtype" else value
