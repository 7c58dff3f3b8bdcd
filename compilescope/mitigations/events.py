"""What happens in the background, told to the service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """Something that happened in the background.

    Attributes:
        what: "queued", "compiled", "failed" (an exception, kept in `error`), "unserved" (compiled,
            and still no graph takes the very same inputs), "dropped" (given up for newer ones),
            or "worker" (its result could not be used, for the reason in `detail`).
        at: `time.time()`.
        seconds: What a compile took.
        shapes: The sizes of the tensors among the inputs.
        error: The exception.
        detail: In words.
    """

    what: str
    at: float
    seconds: float = 0.0
    shapes: tuple[tuple[int, ...], ...] = ()
    error: BaseException | None = None
    detail: str = ""
