"""How many graphs torch.compile compiled in this process so far."""

from __future__ import annotations

from torch._dynamo.utils import counters


class CompileCount:
    """Reads Dynamo's own counter, which counts for all threads."""

    def now(self) -> int:
        """Graphs compiled so far; only differences mean anything."""
        # Not counters["frames"], which leaves out what is compiled with fullgraph=True.
        return int(counters["stats"]["unique_graphs"])
