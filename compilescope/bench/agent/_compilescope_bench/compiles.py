"""What the compiler did so far in this process, by its own counters."""

from __future__ import annotations

from typing import Any

_MOST = 4096  # compiles between two looks; of itself torch keeps 64


class Compiles:
    """Counts compiles, cheaply enough to ask between any two calls."""

    def __init__(self) -> None:
        utils: Any = __import__("torch._dynamo.utils", fromlist=["counters"])
        utils.set_compilation_metrics_limit(_MOST)
        self._counters = utils.counters
        self._metrics = utils.get_compilation_metrics
        self._known: list[Any] = []

    def count(self) -> int:
        """A number that changes with each compile, also with one that fails."""
        # With fullgraph torch counts no frames, and graphs only where there are any.
        counters = self._counters
        return int(counters["frames"]["total"]) + int(counters["stats"]["unique_graphs"])

    def fresh(self) -> list[dict[str, Any]]:
        """The compiles since the last time, as far as torch kept them."""
        found = list(self._metrics())
        known = {id(one) for one in self._known}
        new = [item for item in found if id(item) not in known]
        self._known = found
        return [_told(item) for item in new if getattr(item, "is_forward", True) is not False]


def _told(item: Any) -> dict[str, Any]:
    name = str(getattr(item, "compile_id", "") or "")
    return {
        "id": name,
        "function": str(getattr(item, "co_name", "") or ""),
        "seconds": float(getattr(item, "entire_frame_compile_time_s", None) or 0.0),
        "recompile": name.rpartition("/")[2] not in ("", "0"),
        "failed": str(getattr(item, "fail_type", None) or ""),
    }
