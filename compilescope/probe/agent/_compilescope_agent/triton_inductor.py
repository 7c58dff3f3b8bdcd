"""The Triton kernels that inductor made: read from its modules when the process ends."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .record import Record

_MOST = 2_000


def note(record: Record) -> None:
    """Write a line for each kernel that was launched, with what its autotuning came to."""
    seen: set[int] = set()
    for tuner in _tuners():
        if id(tuner) in seen or len(seen) >= _MOST:
            continue
        seen.add(id(tuner))
        try:
            fields = _fields(tuner)
        except Exception as error:  # noqa: BLE001
            record.trouble("inductor kernel", error)
            continue
        if fields:
            record.note("inductor_kernel", **fields)


def _tuners() -> Iterator[Any]:
    cache: Any = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    modules = getattr(cache, "modules", ())
    listed = list(modules.values()) if isinstance(modules, dict) else list(modules)
    for module in listed:
        for value in list(vars(module).values()):
            if type(value).__module__ == "torch._inductor.runtime.triton_heuristics":
                yield value


def _fields(tuner: Any) -> dict[str, Any]:
    launchers = getattr(tuner, "launchers", None) or ()
    if not launchers:  # never launched
        return {}
    winner = launchers[0]
    config = getattr(winner, "config", None)
    function = getattr(tuner, "fn", None)
    info = getattr(tuner, "autotune_cache_info", None) or {}
    return {
        "name": str(getattr(function, "__name__", "") or _meta(tuner).get("kernel_name", "")),
        "path": str(getattr(tuner, "filename", "") or ""),
        "custom": bool(getattr(tuner, "custom_kernel", False)),
        "registers": _number(getattr(winner, "n_regs", None)),
        "spills": _number(getattr(winner, "n_spills", None)),
        "shared": _number(getattr(winner, "shared", None)),
        "configs": max(
            len(getattr(tuner, "compile_results", None) or ()), int(info.get("num_configs", 0))
        ),
        "winner": str(config)[:300] if config is not None else "",
        "tuning_ns": _number(getattr(tuner, "autotune_time_taken_ns", None)),
        "compile_ns": _number(getattr(tuner, "precompile_time_taken_ns", None)),
        "cache": str(info.get("autotune_cache_state", ""))[:60],
    }


def _meta(tuner: Any) -> dict[str, Any]:
    meta = getattr(tuner, "inductor_meta", None)
    return meta if isinstance(meta, dict) else {}


def _number(value: Any) -> int | None:
    return value if type(value) is int else None
