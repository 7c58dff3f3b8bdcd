"""Why the state around a call did not fit: gradient mode, autocast, modes, backend, lifetimes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import Words, code, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FLAGS = {
    "grad_mode": "gradient recording (`no_grad`, `inference_mode` or `enable_grad`)",
    "autocast_enabled": "autocast",
    "autocast_dtype": "the autocast dtype",
    "autocast_cache_enabled": "the autocast cache",
    "torch_function": "torch function overrides",
    "deterministic_algorithms": "`use_deterministic_algorithms`",
    "allow_tf32": "TF32 (`allow_tf32` or `set_float32_matmul_precision`)",
    "allow_fp16_reduce": "`allow_fp16_reduced_precision_reduction`",
    "allow_bf16_reduce": "`allow_bf16_reduced_precision_reduction`",
    "num_threads": "the number of CPU threads (`set_num_threads`)",
    "default_dtype": "the default dtype (`set_default_dtype`)",
}


# Names of torch 2.15.
_RENAMED = {
    "cuda_matmul_precision": "allow_tf32",
    "deterministic_algorithms_warn_only": "deterministic_algorithms",
}


def changed_flags(words: Words) -> tuple[str, ...]:
    """The flags that the reason names: `grad_mode`, `autocast(cuda)_enabled` and so on."""
    found = re.search(r"GLOBAL_STATE changed:([^\n#]*)", words.failure.raw)
    if found:
        return tuple(dict.fromkeys(_RENAMED.get(flag, flag) for flag in found[1].split()))
    source = words.failure.kind.partition("global_state.")[2]
    return (source,) if source in _FLAGS else ()


def _flag(token: str) -> str:
    device = re.match(r"autocast\((\w+)\)_(\w+)", token)
    if device:
        return f"{_FLAGS.get('autocast_' + device[2], 'autocast')} for {device[1]}"
    return _FLAGS.get(token, code(token))


def global_state(words: Words) -> str:
    """Process-wide flags that a graph is compiled under."""
    flags = changed_flags(words)
    if not flags:
        return (
            "A process-wide setting of PyTorch differs from when this graph was compiled. "
            "The log does not say which one."
        )
    names = listed(_flag(flag) for flag in flags)
    differs = "differs" if len(flags) == 1 else "differ"
    return (
        f"{names[0].upper()}{names[1:]} {differs} in {words.call} from when this graph was "
        "compiled. "
        "Such settings are part of a graph: each combination gets its own."
    )


def function_modes(_: Words) -> str:
    """The stack of torch function modes."""
    return (
        "The active `__torch_function__` modes differ from when this graph was compiled. "
        "`torch.set_default_device` and `with torch.device(…)` are such modes."
    )


def default_device(words: Words) -> str:
    """The default device."""
    if "mode_stack" in words.failure.raw:
        return function_modes(words)
    required = re.search(r"device\(type='(\w+)'(?:, index=(\d+))?\)", words.failure.raw)
    was = f" was `{required[1]}{':' + required[2] if required[2] else ''}`" if required else ""
    fact = f"The default device{was} when this graph was compiled" if was else "The default device"
    joint = " and has changed since." if was else " has changed since this graph was compiled."
    return f"{fact}{joint} It is part of the graph."


def dual_level(_: Words) -> str:
    """Forward-mode autograd."""
    return (
        "The nesting of `forward_ad.dual_level()` differs from when this graph was compiled. "
        "A graph belongs to one level of forward-mode autograd."
    )


def functorch(words: Words) -> str:
    """torch.func transforms."""
    return (
        f"{words.call[0].upper()}{words.call[1:]} ran under other `torch.func` transforms (`vmap`, "
        "`grad`) than this graph was compiled for. Each nesting has its own graph."
    )


def saved_hooks(_: Words) -> str:
    """saved_tensors_hooks."""
    return (
        "Other `saved_tensors_hooks` are active than when this graph was compiled. "
        "They change the backward pass, so each set has its own graph."
    )


def dispatch_mode(_: Words) -> str:
    """TorchDispatchMode."""
    return (
        "A `TorchDispatchMode` is active in one call and not in the other. "
        "Dynamo leaves code under such a mode alone or compiles it separately."
    )


def backend(words: Words) -> str:
    """Two torch.compile wrappers around one function."""
    function = f"`{words.function}`" if words.function else "The same function"
    return (
        f"{function} was given to `torch.compile` more than once with different backends or "
        "options. "
        "All wrappers share one cache, and each rejects the graphs of the others."
    )


def deallocated(words: Words) -> str:
    """An object that the graph was tied to is gone."""
    found = re.search(r"type\(([^)]*)\)", words.failure.raw)
    if found:
        return (
            "This graph was compiled for an object whose class is gone. "
            "A class that is defined inside a function is a new one each time."
        )
    return (
        f"This graph was compiled for an object that is gone: {words.name or 'an argument'} "
        "held another one then. "
        "Building it anew for each call means compiling anew."
    )


def unexpected(words: Words) -> str:
    """PyTorch itself does not know."""
    if not words.failure.raw.strip():
        return (
            "PyTorch gave no reason. Before torch 2.10 that usually meant another backend or "
            "other options for the same function."
        )
    return (
        "The guards failed in the call and passed when PyTorch looked for the reason. "
        "State changed in between: another thread compiled the same function meanwhile, or a "
        "dispatch mode was active."
    )


def limit(_: Words) -> str:
    """The recompile limit."""
    return (
        "The function reached its recompile limit: calls that no cached graph serves now run "
        "eagerly."
    )


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "global_state": global_state,
    "global_state.torch_function_mode": function_modes,
    "global_state.default_device": default_device,
    "global_state.dual_level": dual_level,
    "global_state.functorch": functorch,
    "global_state.saved_tensors_hooks": saved_hooks,
    "global_state.dispatch_mode": dispatch_mode,
    "backend": backend,
    "lifetime": deallocated,
    "unexpected": unexpected,
    "limit": limit,
}
