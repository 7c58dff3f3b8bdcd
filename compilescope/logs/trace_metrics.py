"""CompilationMetrics, whose fields changed from torch 2.6 on, to what a session says of a compile.

Phases are exclusive and add up to the seconds of the compile:

    dynamo      tracing, guards and all else that no other phase has
    aot         AOT autograd, decompositions, the partitioner
    inductor    lowering and scheduling
    codegen     writing and loading the code, without waiting for kernels
    kernels     waiting until Triton or the C++ compiler has built the kernels
    backward    the backward graph, where it was compiled at the first backward call
    autotune    choosing Triton configurations at the first run
    cudagraphs  recording CUDA graphs at the first runs
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from compilescope.logs.trace_headers import Metrics

_NESTED = ("dynamo", "aot", "inductor", "codegen", "kernels")
_LIMIT_NAME = re.compile(r"Limit type: (\w+)|\b(\w*(?:recompile|cache_size)_limit) reached")
_LIMIT = re.compile(r"currently set to (\d{1,9})")
_SOFT = {"CacheLimitExceeded", "RecompileLimitExceeded"}
_HARD = {"FailOnCacheLimitHit", "FailOnRecompileLimitHit"}


class Limit(NamedTuple):
    """A recompile limit that refused a compile."""

    name: str
    value: int | None
    raised: bool  # fullgraph=True or fail_on_recompile_limit_hit: the call failed


def forward_phases(metrics: Metrics) -> dict[str, float]:
    """Exclusive seconds of each phase of a forward compile, in order, without empty ones."""
    nested = [
        total_seconds(metrics),
        _seconds(metrics.aot_autograd_cumulative_compile_time_us, metrics.backend_compile_time_s),
        _seconds(metrics.inductor_cumulative_compile_time_us, metrics.inductor_compile_time_s),
        _seconds(metrics.inductor_code_gen_cumulative_compile_time_us, metrics.code_gen_time_s),
        _seconds(metrics.triton_compile_time_us, None),
    ]
    found: dict[str, float] = {}
    inner = 0.0
    for name, seconds in zip(reversed(_NESTED), reversed(nested), strict=True):
        outer = max(seconds or 0.0, inner)
        if name == "dynamo" and seconds is not None and seconds < inner:
            return {"dynamo": seconds}  # the parts do not fit into the whole
        if outer > inner:
            found[name] = round(outer - inner, 6)
        inner = outer
    return dict(reversed(found.items()))


def backward_seconds(metrics: Metrics) -> float | None:
    """Seconds of a backward compile."""
    return _seconds(metrics.duration_us, None) or _seconds(
        metrics.inductor_cumulative_compile_time_us, metrics.inductor_compile_time_s
    )


def runtime_phases(metrics: Metrics) -> dict[str, float]:
    """What a compiled graph spent on getting ready while it ran."""
    found = {
        "autotune": _seconds(metrics.runtime_triton_autotune_time_us, None),
        "cudagraphs": _seconds(metrics.runtime_cudagraphify_time_us, None),
    }
    return {name: seconds for name, seconds in found.items() if seconds}


def total_seconds(metrics: Metrics) -> float | None:
    """Seconds of the forward compile, all attempts."""
    return _seconds(
        metrics.dynamo_cumulative_compile_time_us, metrics.entire_frame_compile_time_s
    ) or _seconds(metrics.duration_us, None)


def wasted_seconds(metrics: Metrics) -> float:
    """Seconds before the last restart of tracing, 0 where it never restarted."""
    if not metrics.restart_reasons or metrics.fail_type:
        return 0.0  # a failed compile has its whole time in this field
    return (
        _seconds(
            metrics.dynamo_compile_time_before_restart_us, metrics.dynamo_time_before_restart_s
        )
        or 0.0
    )


def restarts(metrics: Metrics) -> tuple[str, ...]:
    """Why tracing began again."""
    reasons = metrics.restart_reasons or []
    return (reasons,) if isinstance(reasons, str) else tuple(reasons)


def failure_kind(metrics: Metrics) -> str:
    """The exception's class without module: `Unsupported`."""
    return (metrics.fail_type or "").strip("<>").strip("'").rpartition("'")[2].rpartition(".")[2]


def limit(metrics: Metrics) -> Limit | None:
    """The recompile limit that refused this compile, if one did."""
    kind = failure_kind(metrics)
    reason = metrics.fail_reason or ""
    named = _LIMIT_NAME.search(reason)
    if not (named or kind in _SOFT | _HARD or "recompile limit exceeded" in reason):
        return None
    if metrics.co_name is not None and kind not in _SOFT | _HARD:
        return None  # a frame that was traced met the words somewhere else
    name = (named[1] or named[2]) if named else "recompile_limit"
    value = _LIMIT.search(reason)
    number = int(value[1]) if value else _configured(metrics, name)
    return Limit(name, number, kind in _HARD)


def cache_results(metrics: Metrics) -> dict[str, str]:
    """Hit or miss of each compile cache that was asked."""
    counts = {
        "fx_graph": (
            metrics.inductor_fx_local_cache_hit_count,
            metrics.inductor_fx_local_cache_miss_count,
        ),
        "fx_graph_remote": (
            metrics.inductor_fx_remote_cache_hit_count,
            metrics.inductor_fx_remote_cache_miss_count,
        ),
        "aotautograd": (
            metrics.aotautograd_local_cache_hit_count,
            metrics.aotautograd_local_cache_miss_count,
        ),
        "aotautograd_remote": (
            metrics.aotautograd_remote_cache_hit_count,
            metrics.aotautograd_remote_cache_miss_count,
        ),
    }
    return {
        name: "miss" if misses else "hit"
        for name, (hits, misses) in counts.items()
        if hits or misses
    }


# Of some 750 settings, those that an explanation, a comparison or a reader asks for.
_TELLING = frozenset(
    {
        "accumulated_cache_size_limit",
        "accumulated_recompile_limit",
        "allow_unspec_int_on_nn_module",
        "assume_static_by_default",
        "automatic_dynamic_shapes",
        "cache_size_limit",
        "caching_precompile",
        "capture_dynamic_output_shape_ops",
        "capture_scalar_outputs",
        "compiled_autograd",
        "fail_on_recompile_limit_hit",
        "force_nn_module_property_static_shapes",
        "force_parameter_static_shapes",
        "freezing",
        "fx_graph_cache",
        "graph_partition",
        "guard_nn_modules",
        "inline_inbuilt_nn_modules",
        "max_autotune",
        "nested_graph_breaks",
        "optimize_ddp",
        "recompile_limit",
        "specialize_float",
        "specialize_int",
        "suppress_errors",
        "triton.cudagraphs",
    }
)


def config(metrics: Metrics) -> dict[str, str]:
    """The settings that decide what is compiled, as `dynamo.recompile_limit` to JSON text."""
    settings = (("dynamo", metrics.dynamo_config), ("inductor", metrics.inductor_config))
    return {
        f"{prefix}.{key}": bytes(value).decode(errors="replace")
        for prefix, raw in settings
        for key, value in _object(raw).items()
        if key in _TELLING
    }


def _configured(metrics: Metrics, name: str) -> int | None:
    values = _object(metrics.dynamo_config)
    for key in (name, name.replace("cache_size", "recompile")):
        if key in values:
            try:
                return msgspec.json.decode(values[key], type=int)
            except msgspec.DecodeError:
                return None
    return None


def _object(raw: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """A JSON object that was logged as a string."""
    try:
        text = msgspec.json.decode(raw, type=str | None)
        return msgspec.json.decode(text, type=dict[str, msgspec.Raw]) if text else {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _seconds(microseconds: float | None, seconds: float | None) -> float | None:
    if microseconds is not None:
        return microseconds / 1e6
    return seconds
