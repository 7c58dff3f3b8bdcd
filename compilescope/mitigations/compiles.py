"""How many frames torch.compile compiled in this process so far."""

from __future__ import annotations

from torch._dynamo.utils import counters


class CompileCount:
    """Reads Dynamo's own counter, which counts for all threads."""

    def now(self) -> int:
        """Frames compiled so far; only differences mean anything."""
        return int(counters["frames"]["ok"])
