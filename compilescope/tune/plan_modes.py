"""Trials for process-wide settings that differ from call to call: held while the callable runs."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.diagnose.explain_state import changed_flags
from compilescope.tune.remedy import Candidate, held
from compilescope.tune.situation import Situation

FIRST = "first"  # the agent takes what the first call has
_WORDS = {
    "autocast": "autocast",
    "allow_tf32": "the float32 matmul precision",
    "allow_fp16_reduce": "fp16 reduction",
    "allow_bf16_reduce": "bf16 reduction",
    "num_threads": "the number of CPU threads",
    "default_dtype": "the default dtype",
    "default_device": "the default device",
}
_BY_KIND = {
    "global_state.torch_function_mode": "default_device",
    "global_state.default_device": "default_device",
}


def modes(situation: Situation) -> Iterator[Candidate]:
    """One value of the settings for all calls, the cheapest for the program first."""
    names = _changed(situation)
    if not names:
        return
    where = f"every call of {situation.callable or 'what is compiled'}"
    if names == ["grad_mode"]:
        # Never with gradients for all: calls that need none would pay for those that do.
        entry = held(situation.callable, "grad_mode", value=False)
        yield situation.candidate("same_mode", f"{where} under torch.no_grad()", entry, weight=2)
    elif names == ["deterministic_algorithms"]:
        for value in (True, False):
            entry = held(situation.callable, "deterministic_algorithms", [value, False])
            text = f"{where} under torch.use_deterministic_algorithms({value})"
            yield situation.candidate("set_once", text, entry, weight=2)
    else:
        entries = [held(situation.callable, name, FIRST) for name in names]
        words = " and ".join(_WORDS.get(name, name) for name in names)
        name = {"autocast": "autocast_inside", "default_device": "same_mode"}.get(names[0])
        text = f"{where} with {words} as in the first"
        yield situation.candidate(name or "set_once", text, *entries, weight=2)


def _changed(situation: Situation) -> list[str]:
    kind = situation.cause.kind
    if kind in _BY_KIND:
        return [_BY_KIND[kind]]
    flags = changed_flags(situation.words)
    known = {*_WORDS, "grad_mode", "deterministic_algorithms"}
    found = ["autocast" if flag.startswith("autocast") else flag for flag in flags]
    # One that cannot be held would leave the recompile.
    return list(dict.fromkeys(found)) if set(found) <= known else []
