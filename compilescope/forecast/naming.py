"""What sets inputs apart, in a few words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.model import ForecastCause


def named(cause: ForecastCause) -> str:
    """`x.shape[0] = 0 or 1`, `layout of x`, the source of the guard, or other sizes."""
    if cause.dimension is not None and cause.values:
        return f"{cause.source}.shape[{cause.dimension}] = {' or '.join(cause.values)}"
    if cause.kind.endswith("stride") and not cause.values:
        return "empty tensors with other strides"
    if cause.values and cause.source:
        return f"{cause.source}: {' or '.join(cause.values)}"
    return cause.source or "other sizes"
