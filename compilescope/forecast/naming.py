"""What sets inputs apart, in a few words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.model import ForecastCause


def named(cause: ForecastCause) -> str:
    """`x.shape[0] = 0 or 1`, `x: transposed in memory`, the source of the guard, or other sizes."""
    if cause.special:
        return cause.special
    if cause.dimension is not None and cause.values:
        strides = " by its strides" if cause.kind.endswith("stride") else ""
        return f"{cause.source}.shape[{cause.dimension}] = {' or '.join(cause.values)}{strides}"
    if cause.kind.endswith("stride") and not cause.values:
        return "empty tensors with other strides"
    if cause.values and cause.source:
        return f"{cause.source}: {' or '.join(cause.values)}"
    return cause.source or "other sizes"
