"""Graph breaks in our own words, with what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.diagnosis import Remedy
    from compilescope.model import Frame


def advise(
    gb_id: str,
    type: str,  # noqa: A002
    reason: str,
    context: str,
    whole_frame: bool,
    frame: Frame,
    torch: tuple[int, int] | None,
) -> tuple[str, tuple[Remedy, ...]]:
    """Why the graph breaks here and what it costs, and the fixes; "" where we know nothing."""
    del gb_id, type, reason, context, whole_frame, frame, torch
    return "", ()
