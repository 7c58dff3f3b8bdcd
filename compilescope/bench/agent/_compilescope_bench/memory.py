"""Peak memory of a step, and of the process."""

from __future__ import annotations

import sys
from typing import Any

from .library import torch
from .steps import Variant


def peak(variant: Variant, device: Any, surrounded: Any) -> int | None:
    """The most bytes that one pass over the inputs held beyond what was held before it."""
    items = [variant.input(item) for group in variant.items for item in group]
    with surrounded():
        if device.type == "cuda":
            return _cuda(variant, items)
        return _cpu(variant, items) if device.type == "cpu" else None


def _cuda(variant: Variant, items: list[Any]) -> int:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for item in items:
        variant.step(item)
    torch.cuda.synchronize()
    held = int(torch.cuda.max_memory_allocated() - before)
    return held + _pools() if variant.graphed else held


def _pools() -> int:
    """What the pools of CUDA graphs have reserved: a graph that is replayed allocates nothing."""
    segments = torch.cuda.memory_snapshot()
    return sum(one["total_size"] for one in segments if any(one.get("segment_pool_id", (0, 0))))


def _cpu(variant: Variant, items: list[Any]) -> int | None:
    """By torch's own record of every allocation; None where this torch keeps none."""
    try:
        from torch.autograd import profiler

        most = 0
        for item in items[:8]:
            with profiler.profile(profile_memory=True) as found:
                variant.step(item)
            held = now = 0
            events = [one for one in found.kineto_results.events() if one.name() == "[memory]"]
            for event in sorted(events, key=lambda one: one.start_ns()):
                now += event.nbytes()
                held = max(held, now)
            most = max(most, held)
    except Exception:  # noqa: BLE001
        return None
    return most or None


def process() -> int | None:
    """The most bytes of memory that this process held at once."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
