"""Which setting to try next: marks, then padding, then the autotuner, each kept where it helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from compilescope.bench.verdict import best
from compilescope.benching import Case, Setting, Trial


def candidates(trials: Sequence[Trial], cases: Sequence[Case], *, pads: bool) -> Iterator[Setting]:
    """Settings that may be better than those in `trials`, which grows while this is asked."""
    base = _base(trials)
    many = sum(len(case.inputs) for case in cases) > 1
    if many:
        yield structs.replace(base, dynamic="marked")
        base = _base(trials, base)
        if _recompiled(trials):
            yield structs.replace(base, dynamic="unbacked")
            base = _base(trials, base)
        if pads:
            yield structs.replace(base, pad=8)
            base = _base(trials, base)
    for mode in ("max-autotune-no-cudagraphs", "reduce-overhead"):
        yield structs.replace(base, mode=mode)


def _base(trials: Sequence[Trial], otherwise: Setting | None = None) -> Setting:
    chosen = best(trials)
    if chosen is not None:
        return trials[chosen].setting
    return otherwise or (trials[0].setting if trials else Setting())


def _recompiled(trials: Sequence[Trial]) -> bool:
    chosen = best(trials)
    return any(
        one.recompiles for one in (trials if chosen is None else trials[chosen : chosen + 1])
    )
