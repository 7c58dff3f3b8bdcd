"""Remedies for process-wide state, modes and backends that changed between calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose.explain_state import changed_flags
from compilescope.diagnose.explain_words import Words
from compilescope.diagnose.remedies import sizes, tensors
from compilescope.diagnose.remedies.catalogue import offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy

_SETTERS = {
    "allow_tf32": 'torch.set_float32_matmul_precision("high")',
    "num_threads": "torch.set_num_threads(8)",
    "default_dtype": "torch.set_default_dtype(torch.float32)",
    "deterministic_algorithms": "torch.use_deterministic_algorithms(True)",
    "allow_fp16_reduce": "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = "
    "False",
    "allow_bf16_reduce": "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = "
    "False",
}


def global_state(words: Words) -> list[Remedy]:
    """The flags that changed, one after the other."""
    found: list[Remedy] = []
    flags = changed_flags(words)
    if any(flag == "grad_mode" for flag in flags):
        found += _grad_mode()
    if any(flag.startswith("autocast") for flag in flags):
        found += _autocast(words)
    rest = [flag for flag in flags if flag in _SETTERS]
    if rest or not found:
        snippet = "\n".join(_SETTERS[flag] for flag in rest)
        found.append(offer("set_once", "Set it once, before the first call, and leave it", snippet))
    return found


def _grad_mode() -> list[Remedy]:
    return [
        sizes.warm_up(
            "Call it once with and once without gradients at start-up: two graphs are right"
        ),
        offer(
            "same_mode",
            "If gradients are never needed: put every call under `torch.no_grad()`",
            "with torch.no_grad():",
        ),
    ]


def _autocast(words: Words) -> list[Remedy]:
    function = f"`{words.function}`" if words.function else "the function"
    return [
        offer(
            "autocast_inside",
            f"Put `torch.autocast` inside {function} and nowhere around its calls",
        ),
        sizes.warm_up("Or call it once with and once without autocast at start-up"),
    ]


def modes(words: Words) -> list[Remedy]:
    """Function modes and the default device."""
    del words
    return [
        offer(
            "same_mode",
            "Enter the mode before the first call and keep it, or pass `device=` where tensors "
            "are made",
        ),
        sizes.warm_up("Or call it once in each mode at start-up: one graph for each"),
    ]


def same_context(words: Words) -> list[Remedy]:
    """Hooks, forward AD, dispatch modes."""
    del words
    return [
        offer("same_mode", "Make every call inside the same context, or every call outside it"),
        sizes.warm_up("Or call it once in each context at start-up: one graph for each"),
    ]


def backend(words: Words) -> list[Remedy]:
    """Several wrappers."""
    return [
        offer(
            "compile_once", "Call `torch.compile` once for this function and reuse what it returns"
        ),
        offer(
            "isolate_recompiles",
            "Or give each wrapper its own cache",
            sizes.compiled(words, "isolate_recompiles=True"),
        ),
    ]


def unexpected(words: Words) -> list[Remedy]:
    """No reason given: another backend where PyTorch is silent, else another thread."""
    if words.failure.raw.strip():
        threads = "Where several threads call it: call it from one of them before the others start"
        first = [offer("warm_up", threads, price="all compiles happen at start-up")]
    else:
        first = backend(words)
    return [
        *first,
        offer("report_upstream", "If it is compiled only once: report it to PyTorch with the log"),
    ]


def registration(words: Words) -> list[Remedy]:
    """Pytree nodes."""
    del words
    return [offer("set_once", "Register pytree nodes before the first call")]


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "global_state": global_state,
    "global_state.default_device": modes,
    "global_state.torch_function_mode": modes,
    "global_state.dual_level": same_context,
    "global_state.functorch": tensors.functorch,
    "global_state.saved_tensors_hooks": same_context,
    "global_state.dispatch_mode": same_context,
    "backend": backend,
    "unexpected": unexpected,
    "pytree": registration,
    "script": registration,
}
