"""Whether a run is evidence at all: one that is cut short or compiled nothing shows no success."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.diagnosis import Diagnosis
    from compilescope.gate.limits import Limits
    from compilescope.model import Gap

# By the beginning of what is missing: the limits that it can hide the crossing of. A gap that is
# not named here can hide anything.
_HIDES = {
    "compile and call times": {"max-compile-seconds", "after-call"},
    "file left out": set[str](),
    "graph breaks": {"max-breaks", "no-new-causes"},
    "lines of repeated graph breaks": set[str](),
    "not recorded: calls": {"after-call"},
    "not recorded: eager": set[str](),
    "recompilations": {"max-recompiles", "no-fallback", "no-new-causes"},
    "records of the unknown kind": set[str](),
    "stack frames whose file is not in the log": set[str](),
    "steady calls that the session does not keep": set[str](),
    "the agent failed at something": {"after-call"},
}


def doubts(diagnosis: Diagnosis, limits: Limits, names: frozenset[str]) -> Iterator[str]:
    """Why limits that seem to have held may not have."""
    if diagnosis.ended not in {"", "exited with code 0"}:
        yield f"the program {_is(diagnosis.ended)}{diagnosis.ended}: the run is not whole"
    if not (diagnosis.counts.compiles or limits.graphs == 0 or _served(diagnosis, limits)):
        yield _nothing(diagnosis)
    for function in diagnosis.functions:
        if function.status == "failed":
            frame = function.frame
            yield (
                f"`{frame.function}` ({frame.path}:{frame.line}) failed to compile:"
                " what it would do is not known"
            )
    untimed = sum(item.seconds is None for item in diagnosis.compiles)
    if untimed and "max-compile-seconds" in names:
        yield f"{untimed} of {len(diagnosis.compiles)} compiles have no time in the record"
    if limits.after_call:
        yield from _calls(diagnosis, limits.after_call)


def holes(
    diagnosis: Diagnosis, limits: Limits, names: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the record lacks: what can hide the crossing of a limit, and what cannot."""
    names |= {"after-call"} if limits.after_call else set()
    hiding = [bool(_hides(gap) & names) for gap in diagnosis.incomplete]
    told = [_words(gap) for gap in diagnosis.incomplete]
    pairs = list(zip(hiding, told, strict=True))
    return tuple(text for hides, text in pairs if hides), tuple(
        text for hides, text in pairs if not hides
    )


def _served(diagnosis: Diagnosis, limits: Limits) -> bool:
    return limits.warm and diagnosis.counts.calls > 0


def _nothing(diagnosis: Diagnosis) -> str:
    if diagnosis.counts.calls:
        return "nothing was compiled, though compiled functions were called"
    return "nothing was compiled"


def _calls(diagnosis: Diagnosis, after: int) -> Iterator[str]:
    if not diagnosis.counts.calls:
        yield f"the session does not tell calls: what happened after call {after} is not known"
        return
    most = max((len(series.seconds) for series in diagnosis.calls), default=0)
    if most <= after:
        yield f"no callable was called more than {after} times: nothing ran after the warm-up"


def _hides(gap: Gap) -> set[str]:
    for begin, names in _HIDES.items():
        if gap.what.startswith(begin):
            return names
    return {"max-recompiles", "max-breaks", "max-compile-seconds", "graphs", "no-fallback",
            "no-new-causes"}  # fmt: skip


def _words(gap: Gap) -> str:
    times = f" ({gap.count} times)" if gap.count > 1 else ""
    return f"{gap.what}{times}" + (f": {gap.detail}" if gap.detail else "")


def _is(ended: str) -> str:
    return "" if ended.startswith(("exited", "failed")) else "was "
