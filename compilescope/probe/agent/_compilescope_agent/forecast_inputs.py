"""Inputs that never came, built from one that did: all the same but for what changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .forecast_fill import filled, holds_indexes
from .forecast_samples import Leaf, Sample, is_tensor
from .forecast_strides import EMPTY, empty, reshaped

if TYPE_CHECKING:
    from collections.abc import Mapping

Place = tuple[int, "int | None"]  # leaf, and dimension; None for a number


class Change:
    """Something about an input that is no size: a layout, contents, a value, a mode."""

    __slots__ = ("held", "kind", "number", "source", "words")

    def __init__(
        self, kind: str, words: str, number: int | None = None, source: str = "", held: str = ""
    ) -> None:
        self.kind = kind
        self.words = words  # what it is now
        self.held = held  # what it was in the call that it was built from
        self.number = number  # of the leaf
        self.source = source  # where it is no leaf


class Candidate:
    """A sample with some places given other sizes, layouts or contents."""

    def __init__(  # noqa: PLR0913  one parameter for each thing that can change
        self,
        sample: Sample,
        sizes: Mapping[Place, Any] | None = None,
        layout: str = "",
        special: Mapping[Place, Any] | None = None,
        factors: tuple[Place, ...] = (),
        forms: Mapping[int, str] | None = None,
        fills: Mapping[int, str] | None = None,
        changes: tuple[Change, ...] = (),
    ) -> None:
        self.sample = sample
        self.special = special or {}  # what the input is about; the other sizes are ordinary
        self.factors = factors  # the first place of each group that is special
        self.sizes = {
            place: size for place, size in (sizes or {}).items() if size != held_at(sample, place)
        }
        self.layout = layout  # of all tensors that are empty
        self.forms = forms or {}  # of single tensors
        self.fills = fills or {}
        self.changes = (*sample.changes, *changes)
        self._shapes = [self._shape(number) for number in range(len(sample.leaves))]

    def key(self) -> Any:
        """Equal for candidates that bring the same input."""
        return (
            self.sample.structure(),
            tuple(self.plain(number) for number in range(len(self._shapes))),
            tuple(sorted(self.fills.items())),
        )

    def plain(self, number: int) -> Any:
        """What leaf `number` is: shape and strides, or the plain value."""
        leaf = self.sample.leaves[number]
        if is_tensor(leaf.value):
            shape = self._shapes[number]
            return shape, self.strides(number, shape)
        if (number, None) in self.sizes:
            return repr(self.sizes[number, None])
        return repr(leaf.fact()) if leaf.fact() is not None else id(leaf.value)

    def strides(self, number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The strides that the tensor at leaf `number` gets."""
        value = self.sample.leaves[number].value
        if 0 in shape and len(shape) > 1 and self.layout in EMPTY:
            return empty(shape, self.layout)
        form = self.forms.get(number, "")
        if shape == tuple(value.shape) and not form:
            return tuple(value.stride())
        return reshaped(value, shape, form)

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
                fill = self.fills.get(number, "")
                with torch.inference_mode(leaf.value.is_inference()), torch.no_grad():
                    leaves.append(_tensor(torch, leaf.value, shape, strides, bound, fill))
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
            if place[1] is not None and 0 < size < (held_at(self.sample, place) or 0)
        ]
        return min(shrunk, default=None)


def held_at(sample: Sample, place: Place) -> Any:
    """The size or number at a place of a call that came."""
    leaf: Leaf = sample.leaves[place[0]]
    return leaf.value if place[1] is None else int(leaf.value.shape[place[1]])


def _tensor(
    torch: Any,
    value: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    bound: int | None,
    fill: str,
) -> Any:
    indexes = holds_indexes(torch, value) and bound is not None
    same = shape == tuple(value.shape) and strides == tuple(value.stride()) and not fill
    if same and not (indexes and value.numel()):
        return value
    made = torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device)
    if made.numel() and not _overlaps(shape, strides):
        content = _content(torch, value, shape)
        if fill:
            content = filled(torch, content, fill)
        if indexes and int(content.max()) >= (bound or 1):
            content = content % bound
        made.copy_(content)
    made = _of_base(value, made)
    if value.requires_grad:
        made.requires_grad_()
    for name, mark in list(vars(value).items()):
        if name.startswith("_dynamo_"):
            setattr(made, name, mark)
    return made


def _of_base(value: Any, made: Any) -> Any:
    """`made` as a view where `value` is one: guards can be on the size of the tensor behind it.

    As far as the two differ by dimensions of size 1 alone.
    """
    base = value._base  # noqa: SLF001
    if base is None or value.requires_grad or not made.is_contiguous():
        return made
    own = [place for place, size in enumerate(value.shape) if size != 1]
    grown = any(size != 1 for place, size in enumerate(made.shape) if place not in own)
    if grown or [value.shape[place] for place in own] != [size for size in base.shape if size != 1]:
        return made
    sizes = iter([made.shape[place] for place in own])
    shape = [1 if size == 1 else next(sizes) for size in base.shape]
    return made.reshape(shape).clone().view(made.shape)


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


def _overlaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    return any(step == 0 and size > 1 for size, step in zip(shape, strides, strict=True))
