"""The strategies of the published study of this problem, each as one trial."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.diagnose.evidence import torch_version
from compilescope.mitigations.recorded_sizes import ranges
from compilescope.tune import warm
from compilescope.tune.plan_shapes import buckets_for
from compilescope.tune.plan_sources import named
from compilescope.tune.remedy import Candidate, Entry, argument, compile_with, config
from compilescope.tune.situation import Situation
from compilescope.tune.trials import Attempt, BudgetSpentError
from compilescope.tune.versions import lacking, price

if TYPE_CHECKING:
    from compilescope.tune.trials import Bench, Ran

_PACKAGE = str(Path(__file__).resolve().parents[1])
_MODES = ("default", "reduce-overhead", "max-autotune-no-cudagraphs")


def run_strategies(bench: Bench, notes: list[str]) -> None:
    """Try all of them; what is not available here goes to `notes`."""
    base = bench.baseline
    assert base is not None
    torch = torch_version(base.session.environment.torch) or (2, 13)
    wanted = []
    for attempt in _strategies(base, torch, bench.folder):
        every = (*attempt.before, *attempt.candidates)
        why = next((why for one in every if (why := lacking(one.id, torch))), "")
        if why:
            notes.append(f"not tried: {attempt.label}: {why}")
        else:
            wanted.append(attempt)
    try:
        bench.attempt_all(wanted)
    except BudgetSpentError:
        made = {one.trial.label for one in bench.done}
        left = [one.label for one in wanted if one.label not in made]
        notes += [f"not tried, the budget is spent: {', '.join(left)}"] if left else []


def _strategies(base: Ran, torch: tuple[int, int], folder: Path) -> Iterator[Attempt]:
    # Those that take longest come first, as they may run side by side.
    inductor = any(one.options.get("backend") == "inductor" for one in base.session.callables)
    yield from _dynamic(base)
    if inductor:
        yield _preloaded(folder / "artifacts.bin")
    yield from _marked(base)
    yield from _limited(torch)
    yield from _stances()
    for found in (*warm.generic(base), *warm.replay(base)):
        yield Attempt((found,), f"seeded: {found.text}")
    text = "regional: the repeated blocks compiled, the model around them not"
    yield Attempt((_one("regional", text, _single("regional", value=True)),), text)
    yield _background("thread", "background")
    if inductor:
        yield _background("process", "background_process")
        yield _ahead(base)
        for mode in _MODES:
            found = _one("mode", f"mode={mode!r}", compile_with("", mode=mode))
            yield Attempt((found,), f"mode={mode!r}")


def _preloaded(path: Path) -> Attempt:
    """Two runs: one leaves its compile cache, the next begins with it."""
    path.unlink(missing_ok=True)
    label = "compile cache preloaded"
    saving = _one("save_cache", "save the compile cache", _single("save_cache", str(path)))
    return Attempt((_one("cache", label, _single("cache", str(path))),), label, before=(saving,))


def _background(worker: str, name: str) -> Attempt:
    text = f'background_compile(worker="{worker}")'
    entry = _single("serve", {"how": worker, "package": _PACKAGE})
    return Attempt((_one(name, text, entry),), f"compiled in the background, in a {worker}")


def _ahead(base: Ran) -> Attempt:
    bounds = {
        one.name: {
            source: {str(place): limits for place, limits in places.items()}
            for source, places in ranges(base.session, one.name).items()
        }
        for one in base.session.callables
    }
    entry = _single("serve", {"how": "ahead", "package": _PACKAGE, "bounds": bounds})
    found = _one("ahead", "aot_or_eager, with the bounds of suggest_bounds", entry)
    return Attempt((found,), "ahead of time within the sizes seen, else eager")


def _dynamic(base: Ran) -> Iterator[Attempt]:
    given = {target.options.get("dynamic", "None") for target in base.session.callables}
    for value in (False, True, None):
        if given != {str(value)}:
            label = f"static: dynamic={value}" if value is False else f"dynamic={value}"
            found = _one("dynamic", f"dynamic={value}", compile_with("", dynamic=value))
            yield Attempt((found,), label)


def _limited(torch: tuple[int, int]) -> Iterator[Attempt]:
    name = "recompile_limit" if torch >= (2, 7) else "cache_size_limit"
    for number in (1, 2):
        # Under fullgraph=True the limit is an error, and nothing runs eagerly.
        entries = (config(f"dynamo.{name}", value=number), compile_with("", fullgraph=False))
        found = _one("limit", f"{name} = {number}", *entries)
        yield Attempt((found,), f"recompile limit {number}, then eager")


def _stances() -> Iterator[Attempt]:
    for name, after, label in (
        ("eager_then_compile", 0, "the first call eager, then compiled for what changed"),
        ("eager_on_recompile", 1, "frozen after the first call, then eager"),
    ):
        entry = _single("stance", {"name": name, "after": after})
        lift = () if not after else (compile_with("", fullgraph=False),)
        yield Attempt((_one(name, f'set_stance("{name}")', entry, *lift),), label)


def _marked(base: Ran) -> Iterator[Attempt]:
    causes = base.diagnosis.causes
    if not causes:
        return
    situation = Situation(causes[0], base.session, base.diagnosis)
    pairs = situation.varying
    duck = config("shapes.use_duck_shape", value=False)
    for how, more, calls in (
        ("mark_dynamic", (), ""),
        ("mark_static", (), ""),
        ("mark_unbacked", (duck,), ""),
        ("mark_unbacked", (duck,), "first"),
    ):
        marks = _marks(pairs, how, calls)
        off = ", duck-shape off" if more else ""
        where = ", on the first call only" if calls else ""
        if marks:
            found = _one(how, f"{_text(how, pairs)}{off}{where}", *marks, *more)
            yield Attempt((found,), f"{how} on all sizes that vary{off}{where}")
    if pairs:
        yield _bucketed(situation, pairs)
        yield _by_name(pairs, situation.torch)


def _bucketed(situation: Situation, pairs: list[tuple[str, int]]) -> Attempt:
    entries = [
        argument("", name, "pad", dimension=number, buckets=buckets)
        for name, number in pairs
        if (buckets := buckets_for(sorted(situation.seen(name, number)) or [1]))
    ]
    return Attempt(
        (_one("pad", "pad every size that varies to a bucket", *entries),),
        "bucketed: sizes padded to powers of two, results cut back",
    )


def _by_name(pairs: list[tuple[str, int]], torch: tuple[int, int]) -> Attempt:
    names = ",".join(dict.fromkeys(named(name, number, torch) for name, number in pairs))
    off = config("shapes.use_duck_shape", value=False)
    sources = config("compiler.unbacked_sources", names)
    found = _one("unbacked_sources", f"unbacked_sources = {names!r}", sources, off)
    return Attempt((found,), "unbacked by name in the configuration, duck-shape off")


def _marks(pairs: list[tuple[str, int]], how: str, calls: str) -> tuple[Entry, ...]:
    more = {"calls": calls} if calls else {}
    return tuple(argument("", name, how, dimension=number, **more) for name, number in pairs)


def _text(how: str, pairs: list[tuple[str, int]]) -> str:
    return ", ".join(f"{how}({name}, {number})" for name, number in pairs)


def _one(name: str, text: str, *entries: Entry) -> Candidate:
    return Candidate(name, text, entries, price(name), weight=1)


def _single(section: str, value: object) -> Entry:
    return Entry(section, {"value": value})
