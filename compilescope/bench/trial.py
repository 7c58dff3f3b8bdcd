"""One setting's processes, judged: times, costs, memory, numbers, and what to be careful about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from compilescope.bench import compiler_log
from compilescope.bench.agreement import judged, share
from compilescope.bench.intervals import are_apart, break_even, spanned
from compilescope.bench.series import drift
from compilescope.bench.timings import Overall, Pair, cost, overall, pairs
from compilescope.benching import Case, Measured, Numerics, Setting, Trial

if TYPE_CHECKING:
    from compilescope.bench.process import Found

_BUSY = 0.15  # share of the processors that others may use before it is said
_TIMING = 0.05  # share of the shortest call that its timing may take before it is said
_MOVED = 0.05  # between the ratios of two processes, from which it is said
_STEPPED = 0.05  # by which the GPU's clock may move


def trial(
    setting: Setting, cold: Found, warm: Found | None, *, alone: Found | None = None
) -> Trial:
    """What the processes of `setting` showed; `alone` compiled with nothing beside it."""
    cases = cases_of(cold)
    made = pairs(cold, cases)
    outcome, why = _outcome(cold, made)
    whole = overall(made)
    again_made = pairs(warm, cases) if warm else []
    other = overall(again_made)
    compiles = (alone or cold).all("compile")
    again = [one for one in compiles if one["recompile"]]
    log = compiler_log.read(cold.log)
    levels = _levels(made, len(cases))
    spent = cost(alone or cold, levels) if made else None
    spent_warm = cost(warm, levels) if warm and made else None
    ratio = spanned(whole.ratio(), other.ratio() if other else None) if whole else None
    gain = spanned(whole.gain(), other.gain() if other else None) if whole else None
    memory = cold.first("memory")
    return Trial(
        setting=setting,
        outcome=outcome,
        why=why,
        measured=tuple(_measured(pair, again_made) for pair in made),
        ratio=ratio,
        cold=spent,
        warm=spent_warm,
        break_even=break_even(spent.seconds, gain) if spent and gain else None,
        break_even_warm=break_even(spent_warm.seconds, gain) if spent_warm and gain else None,
        eager_memory=memory.get("eager"),
        compiled_memory=memory.get("compiled"),
        process_memory=memory.get("process"),
        graphs=sum(not one["failed"] for one in compiles),
        breaks=log.breaks,
        recompiles=len(again),
        recompile_seconds=sum(one["seconds"] for one in again),
        recompile_reasons=log.recompiles,
        fallback=log.fallback,
        numerics=_numerics(cold, cases),
        cautions=(*_cautions(cold, made, whole), *_elsewhere(whole, other)),
        marks=(
            *cold.first("marks").get("places", ()),
            *cold.first("tuned").get("places", ()),
        ),
        remedies=log.remedies,
    )


def _measured(pair: Pair, others: Sequence[Pair]) -> Measured:
    found = pair.measured()
    again = (one.measured().ratio for one in others if one.case == pair.case)
    return structs.replace(found, ratio=spanned(found.ratio, next(again, None)))


def _elsewhere(whole: Overall | None, other: Overall | None) -> Iterator[str]:
    """What a second process had to say against the ratio of the first."""
    if whole is None or other is None:
        return
    one, again = whole.ratio(), other.ratio()
    if are_apart(one, again) and abs(again.value / one.value - 1) > _MOVED:
        yield (
            f"in a second process the ratio was {again.value:.2f} [{again.low:.2f},"
            f" {again.high:.2f}], in the first {one.value:.2f} [{one.low:.2f}, {one.high:.2f}]: it"
            " depends on the process (where its memory lies); the interval spans both"
        )


def cases_of(found: Found) -> tuple[Case, ...]:
    """The inputs that the process was measured with."""
    return tuple(
        Case(one["name"], tuple(one["inputs"]), tuple(one["weights"]))
        for one in found.first("subject").get("cases", ())
    )


def _outcome(
    found: Found, made: Sequence[Pair]
) -> tuple[Literal["measured", "failed", "stopped"], str]:
    problem = found.first("problem")
    if problem:
        text = problem["text"] + (f": {problem['cause']}" if problem["cause"] else "")
        return "failed", text
    if found.ended:
        return "stopped", found.ended
    if not found.first("end"):
        return "failed", f"the process ended with code {found.code}{_last_line(found)}"
    return ("measured", "") if made else ("failed", "no call was steady")


def _last_line(found: Found) -> str:
    if found.log is None or not found.log.exists():
        return ""
    lines = found.log.read_text(errors="replace").strip().splitlines()
    return f": {lines[-1][:300]}" if lines else ""


def _levels(made: Sequence[Pair], count: int) -> list[tuple[float, ...]]:
    known = {pair.case: pair.compiled.levels() for pair in made}
    return [known.get(number, ()) for number in range(count)]


def _numerics(found: Found, cases: Sequence[Case]) -> Numerics:
    record = found.first("numerics")
    if not record:
        return Numerics("not compared", why="" if found.first("end") else "it was not reached")
    subject = found.first("subject")
    computed = [subject.get("dtype", "")]
    computed += [text.rpartition(" ")[2] for text in subject.get("autocast", ())]
    if found.first("environment").get("matmul", "highest") != "highest":
        computed.append("float16")  # products then keep about as many digits
    inputs = sum(len(case.inputs) for case in cases)
    why = "; ".join(filter(None, (record["why"], share(record["rows"], inputs))))
    names = [case.name for case in cases]
    return judged(record["rows"], why, names, computed, record.get("reference") or "float64")


def _cautions(found: Found, made: Sequence[Pair], whole: Overall | None) -> Iterator[str]:
    if whole is not None:
        moved = drift(whole.eager)
        if moved is not None:
            way = "slower" if moved > 0 else "faster"
            yield (
                f"eager calls became {abs(moved):.0%} {way} while they were measured (clock or"
                " load): ratios hold, since both were measured in turns; times do not"
            )
        apart = drift([one / other for one, other in zip(whole.eager, whole.compiled, strict=True)])
        if apart is not None:
            yield f"the ratio itself moved by {apart:+.0%} while it was measured"
    yield from _unsettled(made)
    yield from _timing(found, made)
    others = found.first("load").get("others")
    if others is not None and others > _BUSY:
        yield f"other programs used {others:.0%} of the processors"
    clocks = [one["clock"] for one in found.all("machine") if one["clock"]]
    if clocks and max(clocks) > (1 + _STEPPED) * min(clocks):
        yield f"the GPU's clock was between {min(clocks):,} and {max(clocks):,} MHz"
    if found.all("warm") and not found.first("warm").get("quiet", True):
        yield "it compiled in each pass over the inputs: there is no steady state"
    yield from (note["text"] for note in found.all("note"))
    yield from found.first("tuned").get("cautions", ())


def _timing(found: Found, made: Sequence[Pair]) -> Iterator[str]:
    spent = found.first("timing").get("seconds", 0.0)
    variants = (one for pair in made for one in (pair.eager, pair.compiled))
    shortest = min((level for one in variants for level in one.levels()), default=1.0)
    if spent > _TIMING * shortest:
        yield (
            f"timing takes about {spent * 1e6:.1f} us of every call, eager and compiled: the ratio"
            " of the calls themselves is further from 1"
        )


def _unsettled(made: Sequence[Pair]) -> Iterator[str]:
    for name in ("eager", "compiled"):
        if any(not getattr(pair, name).settled for pair in made):
            yield f"{name} calls did not come to a steady level"


def noted(found: Found) -> list[str]:
    """What the process says about its subject."""
    notes: Any = found.first("subject").get("notes", ())
    return list(notes)
