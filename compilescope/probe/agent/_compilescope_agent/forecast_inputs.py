"""Inputs that never came, built from one that did: all the same but for the sizes that change."""

from __future__ import annotations

import sys
from typing import Any

from .forecast_samples import Leaf, Sample, is_tensor

PRODUCT = "strides as products of sizes"
TRANSPOSED = "transposed"

Place = tuple[int, "int | None"]  # leaf, and dimension; None for a number


class Candidate:
    """A sample with some places given other sizes."""

    def __init__(
        self,
        sample: Sample,
        sizes: dict[Place, Any] | None = None,
        layout: str = "",
        values: dict[int, Any] | None = None,
        special: dict[Place, Any] | None = None,
        factors: tuple[Place, ...] = (),
    ) -> None:
        self.sample = sample
        self.special = special or {}  # what the input is about; the other sizes are ordinary
        self.factors = factors  # the first place of each group that is special
        self.sizes = {
            place: size for place, size in (sizes or {}).items() if size != _now(sample, place)
        }
        self.values = values or {}
        self.layout = layout
        self._shapes = [self._shape(number) for number in range(len(sample.leaves))]

    def key(self) -> Any:
        """Equal for candidates that bring the same input."""
        return (
            self.sample.structure(),
            tuple(self.plain(number) for number in range(len(self._shapes))),
        )

    def plain(self, number: int) -> Any:
        """What leaf `number` is: shape and strides, or the plain value."""
        leaf = self.sample.leaves[number]
        if is_tensor(leaf.value):
            shape = self._shapes[number]
            return shape, self.strides(number, shape)
        if number in self.values:
            return repr(self.values[number])
        size = self.sizes.get((number, None))
        return repr(leaf.fact() if size is None else size)

    def strides(self, number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The strides that the tensor at leaf `number` gets."""
        value = self.sample.leaves[number].value
        if 0 in shape and len(shape) > 1 and self.layout:
            return _empty_strides(shape, self.layout)
        if shape == tuple(value.shape):
            return tuple(value.stride())
        return _strides(value, shape)

    def build(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, tensors that change made anew."""
        torch: Any = sys.modules["torch"]
        pytree: Any = sys.modules["torch.utils._pytree"]
        bound = self._bound()
        leaves = []
        for number, leaf in enumerate(self.sample.leaves):
            if is_tensor(leaf.value):
                shape = self._shapes[number]
                strides = self.strides(number, shape)
                with torch.inference_mode(leaf.value.is_inference()), torch.no_grad():
                    leaves.append(_tensor(torch, leaf.value, shape, strides, bound))
            elif number in self.values:
                leaves.append(self.values[number])
            else:
                leaves.append(self.sizes.get((number, None), leaf.value))
        args, kwargs = pytree.tree_unflatten(leaves, self.sample.spec)
        return args, kwargs

    def bytes(self) -> int:
        """Memory that the changed tensors take."""
        total = 0
        for leaf, shape in zip(self.sample.leaves, self._shapes, strict=True):
            if is_tensor(leaf.value) and shape != tuple(leaf.value.shape):
                count = leaf.value.element_size()
                for size in shape:
                    count *= size
                total += count
        return total

    def _shape(self, number: int) -> tuple[int, ...]:
        value = self.sample.leaves[number].value
        if not is_tensor(value):
            return ()
        return tuple(
            self.sizes.get((number, dimension), size) for dimension, size in enumerate(value.shape)
        )

    def _bound(self) -> int | None:
        """What indexes must stay below: the smallest size that something shrank to."""
        shrunk = [
            size
            for place, size in self.sizes.items()
            if isinstance(size, int) and size > 0 and size < (_now(self.sample, place) or 0)
        ]
        return min(shrunk, default=None)


def _now(sample: Sample, place: Place) -> Any:
    leaf: Leaf = sample.leaves[place[0]]
    return leaf.value if place[1] is None else int(leaf.value.shape[place[1]])


def _tensor(
    torch: Any, value: Any, shape: tuple[int, ...], strides: tuple[int, ...], bound: int | None
) -> Any:
    indexes = _holds_indexes(torch, value) and bound is not None
    same = shape == tuple(value.shape) and strides == tuple(value.stride())
    if same and not (indexes and value.numel()):
        return value
    made = torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device)
    if made.numel() and not _overlaps(shape, strides):
        content = _content(torch, value, shape)
        if indexes and int(content.max()) >= (bound or 1):
            content = content % bound
        made.copy_(content)
    if value.requires_grad:
        made.requires_grad_()
    for name, mark in list(vars(value).items()):
        if name.startswith("_dynamo_"):
            setattr(made, name, mark)
    return made


def _content(torch: Any, value: Any, shape: tuple[int, ...]) -> Any:
    """What the tensor holds, repeated or cut along each dimension."""
    content = value.detach()
    if not content.numel():
        return torch.ones(shape, dtype=value.dtype, device=value.device)
    for dimension, size in enumerate(shape):
        if size != content.shape[dimension]:
            index = torch.arange(size, device=value.device) % content.shape[dimension]
            content = content.index_select(dimension, index)
    return content


def _holds_indexes(torch: Any, value: Any) -> bool:
    whole = not value.is_floating_point() and not value.is_complex()
    return whole and value.dtype != torch.bool


def _strides(value: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of another size in the same layout: the order of dimensions, kept where dense."""
    order = sorted(range(len(shape)), key=lambda item: (value.stride(item), -item))
    found = [0] * len(shape)
    step = 1
    for dimension in order:
        if value.stride(dimension) == 0 and value.shape[dimension] > 1:
            continue
        found[dimension] = step
        step *= max(shape[dimension], 1)
    if value.is_contiguous():
        step = 1
        for dimension in reversed(range(len(shape))):
            found[dimension] = step
            step *= max(shape[dimension], 1)
    return tuple(found)


def _empty_strides(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    order = range(len(shape)) if layout == TRANSPOSED else reversed(range(len(shape)))
    found = [0] * len(shape)
    step = 1
    for dimension in order:
        found[dimension] = step
        step *= shape[dimension] if layout == PRODUCT else max(shape[dimension], 1)
    return tuple(found)


def _overlaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    return any(step == 0 and size > 1 for size, step in zip(shape, strides, strict=True))
