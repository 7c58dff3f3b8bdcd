"""Since which torch each remedy exists, for those that the diagnosis's catalogue does not hold."""

from __future__ import annotations

from compilescope.diagnose.remedies.catalogue import FACTS

SINCE = {
    "mark_static": "2.1",
    "maybe_mark_dynamic": "2.1",
    "mark_dynamic_range": "2.1",
    "mark_unbacked_range": "2.13",
    "unbacked_sources": "2.8",
    "capture_scalar_outputs": "2.0",
    "capture_dynamic_output_shape_ops": "2.1",
    "disable": "2.1",
    "eager_then_compile": "2.7",
    "eager_on_recompile": "2.6",
    "cache": "2.7",
    "save_cache": "2.7",
    "regional": "2.2",
    "mode": "2.0",
    "limit": "2.0",
    "background": "2.6",
    "background_process": "2.6",
    "ahead": "2.6",
}
PRICES = {
    "mark_static": "a graph for each size that comes",
    "mark_dynamic_range": "a size outside of the range raises",
    "mark_unbacked_range": "a size outside of the range raises; no example size for kernels",
    "unbacked_sources": "as mark_unbacked; set it before the first compile",
    "capture_scalar_outputs": "none; the number is symbolic from there on",
    "capture_dynamic_output_shape_ops": "none; the size is symbolic from there on",
    "disable": "the function runs eagerly, and the graph is split around it",
    "eager_then_compile": "the first call runs eagerly",
    "eager_on_recompile": "new kinds of calls run eagerly, for ever",
    "cache": "a file to ship that fits one torch and one GPU only",
    "save_cache": "none",
    "regional": "what lies between the blocks runs eagerly",
    "drop_shortcut": "work that the shortcut saved; proved for the inputs of this run",
    "own_dict": "new values in the dict do not reach the caller",
    "background": "calls are eager while it compiles, and share the interpreter lock with it",
    "background_process": "calls are eager while it compiles; a second copy of the weights",
    "ahead": "a model that torch.export takes; inference only, eager outside of the bounds",
    "limit": "new kinds of calls run eagerly, for ever",
    "mode": "longer compiles; CUDA graphs hold memory of their own",
}


def price(remedy: str) -> str:
    """What `remedy` costs, "" where that is not known."""
    return FACTS[remedy].price if remedy in FACTS else PRICES.get(remedy, "")


def lacking(remedy: str, torch: tuple[int, int]) -> str:
    """Why `torch` cannot have `remedy`, "" where it can."""
    facts = FACTS.get(remedy)
    since = facts.since if facts else SINCE.get(remedy, "")
    until = facts.until if facts else ""
    has = f"{torch[0]}.{torch[1]}"
    if since and torch < _version(since):
        return f"needs torch {since}, this is {has}"
    if until and torch > _version(until):
        return f"torch has it until {until} only, this is {has}"
    return ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
