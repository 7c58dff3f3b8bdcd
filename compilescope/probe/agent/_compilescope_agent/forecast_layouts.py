"""Layouts and contents that never came."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .forecast_fill import fills
from .forecast_inputs import Candidate, Change
from .forecast_samples import is_tensor
from .forecast_strides import WIDER

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_samples import Kind

_MOST_LEAVES = 12


def layouts(search: Search, kind: Kind, general: Candidate) -> None:
    """Slices of larger tensors, where the larger one had several sizes."""
    for number in range(len(general.sample.leaves)):
        if len({found[number] for found in kind.bases if number < len(found)}) > 1:
            search.attempt(formed(general, number, WIDER))


def contents(search: Search, general: Candidate) -> None:
    """Other values in the tensors, where code runs between graphs and may look at them."""
    if not search.watched.is_cut:
        return
    torch: Any = sys.modules["torch"]
    numbers = [
        number
        for number, leaf in enumerate(general.sample.leaves)
        if is_tensor(leaf.value) and leaf.value.numel()
    ][:_MOST_LEAVES]
    for number in numbers:
        for how in fills(torch, general.sample.leaves[number].value):
            change = Change("contents", how, number)
            search.attempt(_changed(general, change, fills={number: how}))
    for seed in (4, 5):
        how = f"drawn {seed}"
        change = Change("contents", how, source="all tensors")
        search.attempt(_changed(general, change, fills=dict.fromkeys(numbers, how)))


def formed(general: Candidate, number: int, form: str) -> Candidate:
    """The input with the layout of one tensor changed."""
    return _changed(general, Change("layout", form, number), forms={number: form})


def _changed(general: Candidate, change: Change, **parts: Any) -> Candidate:
    return Candidate(general.sample, general.sizes, changes=(change,), **parts)
