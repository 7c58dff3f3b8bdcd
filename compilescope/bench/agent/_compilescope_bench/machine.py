"""The machine while it measures: who else uses it, and how fast its clock runs."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from typing import Any

from .library import torch


def environment(device: Any) -> dict[str, Any]:
    """What the calls run on."""
    version = torch.version
    triton = ""
    with suppress(Exception):
        triton = str(__import__("triton").__version__)
    return {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cuda": str(version.cuda or version.hip or ""),
        "triton": triton,
        "devices": [torch.cuda.get_device_name(device)] if device.type == "cuda" else [],
        "cpu_count": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "matmul": torch.get_float32_matmul_precision(),
    }


class Load:
    """How much of the machine's processors others used since the start."""

    def __init__(self) -> None:
        self._began = _jiffies()

    def others(self) -> float | None:
        """Their share of all processors, 0 to 1; None where the system does not say."""
        if self._began is None:
            return None
        now = _jiffies()
        if now is None:
            return None
        total, busy, own = (one - other for one, other in zip(now, self._began, strict=True))
        return max(0.0, busy - own) / total if total > 0 else None


def _jiffies() -> tuple[float, float, float] | None:
    """Of all processors: all time, busy time, and this process's own."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
        ticks = os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
    total = sum(fields)
    idle = fields[3] + fields[4]
    times = os.times()
    own = (times.user + times.system + times.children_user + times.children_system) * ticks
    return float(total), float(total - idle), own


def gpu_clock(device: Any) -> int | None:
    """The GPU's clock in MHz, None where torch cannot say."""
    if device.type != "cuda":
        return None
    with suppress(Exception):  # it needs a library of NVIDIA's
        return int(torch.cuda.clock_rate(device))
    return None
