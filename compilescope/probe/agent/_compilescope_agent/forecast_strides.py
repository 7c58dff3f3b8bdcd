"""Strides of tensors that never came: the layout of one that did, or an unusual one."""

from __future__ import annotations

from typing import Any

PRODUCT = "strides as products of sizes"
BACKWARDS = "transposed"
EMPTY = (PRODUCT, BACKWARDS)  # how the strides of empty tensors differ between those who make them
TRANSPOSED = "transposed in memory"
SLICED = "a slice of a larger tensor"
WIDER = "a slice of a tensor of another size"


def reshaped(value: Any, shape: tuple[int, ...], form: str = "") -> tuple[int, ...]:
    """The strides of `shape` in the layout of `value`, or in it changed to `form`."""
    sizes, strides = tuple(value.shape), tuple(value.stride())
    if not value.numel():
        sizes, strides = shape, dense(shape, range(len(shape)))
    order = _order(sizes, strides)
    if form == TRANSPOSED and len(order) > 1:
        return dense(shape, [order[1], order[0], *order[2:]][::-1])
    found = [0] * len(shape)
    step = strides[order[0]] if order else 1
    for place, dimension in enumerate(order):
        found[dimension] = step
        base = _base(sizes, strides, order, place)
        if form == WIDER and base > sizes[dimension]:
            base += 2
        dense_here = base <= sizes[dimension] or not strides[dimension]
        size = max(shape[dimension], 1)
        step *= size if dense_here else max(base, size)
        if form == SLICED and place == 0:
            step += found[dimension]
    return tuple(found)


def is_slice(value: Any) -> bool:
    """Whether the strides tell of a larger tensor that this one is a part of."""
    sizes, strides = tuple(value.shape), tuple(value.stride())
    order = _order(sizes, strides)
    return bool(value.numel()) and any(
        _base(sizes, strides, order, place) > sizes[dimension]
        for place, dimension in enumerate(order)
    )


def bases(value: Any) -> tuple[int, ...]:
    """The sizes that the strides tell of, where they are larger than the tensor's own; else 0."""
    sizes, strides = tuple(value.shape), tuple(value.stride())
    order = _order(sizes, strides)
    found = [0] * len(sizes)
    for place, dimension in enumerate(order):
        base = _base(sizes, strides, order, place)
        found[dimension] = base if base > sizes[dimension] and value.numel() else 0
    return tuple(found)


def empty(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The strides of an empty tensor as one of `EMPTY` makers leaves them."""
    order = range(len(shape)) if layout == BACKWARDS else reversed(range(len(shape)))
    found = [0] * len(shape)
    step = 1
    for dimension in order:
        found[dimension] = step
        step *= shape[dimension] if layout == PRODUCT else max(shape[dimension], 1)
    return tuple(found)


def dense(shape: tuple[int, ...], order: Any) -> tuple[int, ...]:
    """Strides without gaps, the first of `order` the outermost."""
    found = [0] * len(shape)
    step = 1
    for dimension in reversed(list(order)):
        found[dimension] = step
        step *= max(shape[dimension], 1)
    return tuple(found)


def _order(sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The dimensions from the innermost out; expanded ones have no place."""
    kept = [place for place, step in enumerate(strides) if step or sizes[place] <= 1]
    return sorted(kept, key=lambda place: (strides[place], -place))


def _base(sizes: tuple[int, ...], strides: tuple[int, ...], order: list[int], place: int) -> int:
    """How far the dimension reaches in memory, in its own steps."""
    dimension = order[place]
    outer = strides[order[place + 1]] if place + 1 < len(order) else 0
    step = strides[dimension]
    if step and outer > step * sizes[dimension] and outer % step == 0:
        return outer // step
    return sizes[dimension]
