"""Device memory: read around calls that bring something new, and at the end of the process."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .record import Record

_MOST_POOLS = 64


def peak() -> int | None:
    """Bytes allocated at the highest so far on the current device, None without a device."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    try:
        if cuda is None or not cuda.is_initialized() or cuda.is_current_stream_capturing():
            return None
        statistics = sys.modules["torch"]._C._cuda_memoryStats(cuda.current_device())  # noqa: SLF001
        value = statistics["allocated_bytes"]["all"]["peak"]
    except Exception:  # noqa: BLE001  the call itself is worth more
        return None
    return value if isinstance(value, int) else None


def watch(record: Record) -> None:
    """Note at the end what the process held of each device."""
    atexit.register(_end, record)


def _end(record: Record) -> None:
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    try:
        if not record.is_open or cuda is None or not cuda.is_initialized():
            return
        pools = _pools(cuda) if record.saw_cudagraphs else {}
        for device in range(cuda.device_count()):
            reserved = cuda.max_memory_reserved(device)
            if reserved:
                record.note(
                    "memory",
                    device=device,
                    allocated=cuda.max_memory_allocated(device),
                    reserved=reserved,
                    total=cuda.get_device_properties(device).total_memory,
                    pools=pools.get(device, [])[:_MOST_POOLS],
                )
    except Exception as error:  # noqa: BLE001
        record.trouble("memory", error)


def _pools(cuda: Any) -> dict[int, list[int]]:
    """Bytes that each private pool of CUDA graphs has reserved, by device."""
    sizes: dict[int, dict[tuple[int, ...], int]] = {}
    for segment in cuda.memory_snapshot():
        pool = tuple(segment.get("segment_pool_id", (0, 0)))
        if any(pool):
            of_device = sizes.setdefault(segment["device"], {})
            of_device[pool] = of_device.get(pool, 0) + segment["total_size"]
    return {device: sorted(held.values(), reverse=True) for device, held in sizes.items()}
