"""The strategies of the published study of this problem, each as one trial."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from compilescope.diagnose.evidence import torch_version
from compilescope.tune import warm
from compilescope.tune.remedy import Candidate, Entry, argument, compile_with, config
from compilescope.tune.situation import Situation

if TYPE_CHECKING:
    from compilescope.tune.trials import Bench, Ran


def run_strategies(bench: Bench) -> list[str]:
    """Try all of them; notes on those that are not available here."""
    base = bench.baseline
    assert base is not None
    notes = []
    cache = bench.folder / "artifacts.bin"
    for label, candidates in _strategies(base):
        bench.attempt(candidates, label)
    saved = Candidate(
        "save_cache", "save the compile cache", (_single("save_cache", str(cache)),), weight=1
    )
    if _version(base) >= (2, 7):
        bench.attempt((saved,), "a run that saves its compile cache")
        if cache.exists():
            loaded = _single("cache", str(cache))
            preload = Candidate("cache", "preload the compile cache", (loaded,), weight=1)
            bench.attempt((preload,), "compile cache preloaded")
        else:
            notes.append("compile cache preloaded: this backend leaves no artifacts to load")
    else:
        notes.append("compile cache preloaded: needs torch 2.7")
    if find_spec("compilescope.mitigations") is None:
        notes.append("background compile, ahead-of-time with bounds: not available in this release")
    return notes


def _strategies(base: Ran) -> Iterator[tuple[str, tuple[Candidate, ...]]]:
    limit = "recompile_limit" if _version(base) >= (2, 7) else "cache_size_limit"
    for number in (1, 2):
        # Under fullgraph=True the limit is an error, and nothing runs eagerly.
        entries = (config(f"dynamo.{limit}", value=number), compile_with("", fullgraph=False))
        text = f"{limit} = {number}"
        yield f"limit {number}, then eager", (Candidate("limit", text, entries, weight=3),)
    for value in (True, False, None):
        entry = compile_with("", dynamic=value)
        yield f"dynamic={value}", (Candidate("dynamic", f"dynamic={value}", (entry,), weight=2),)
    yield from _marked(base)
    for found in (*warm.generic(base), *warm.replay(base)):
        yield found.text, (found,)
    if any(target.options.get("backend") == "inductor" for target in base.session.callables):
        for mode in ("default", "reduce-overhead", "max-autotune-no-cudagraphs"):
            entry = compile_with("", mode=mode)
            yield f"mode={mode}", (Candidate("mode", f"mode={mode}", (entry,), weight=2),)


def _marked(base: Ran) -> Iterator[tuple[str, tuple[Candidate, ...]]]:
    causes = base.diagnosis.causes
    pairs = Situation(causes[0], base.session, base.diagnosis).varying if causes else []
    duck = config("shapes.use_duck_shape", value=False)
    for how, more in (("mark_dynamic", ()), ("mark_unbacked", (duck,))):
        marks = tuple(argument("", name, how, dimension=number) for name, number in pairs)
        off = ", duck-shape off" if more else ""
        if marks:
            text = ", ".join(f"{how}({name}, {number})" for name, number in pairs)
            found = Candidate(how, text + off, (*marks, *more))
            yield f"{how} on all sizes that vary{off}", (found,)


def _single(section: str, value: str) -> Entry:
    return Entry(section, {"value": value})


def _version(base: Ran) -> tuple[int, int]:
    return torch_version(base.session.environment.torch) or (2, 13)
