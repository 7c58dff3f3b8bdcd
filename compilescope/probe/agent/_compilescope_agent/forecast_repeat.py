"""The same calls once more: state that moves on compiles for that alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .forecast_inputs import Candidate

if TYPE_CHECKING:
    from .forecast_explore import Search
    from .forecast_samples import Kind, Sample

_ROUNDS = 3
_MOST_CALLS = 24
_UNBOUNDED = 3  # calls in a row that each compile


def repeat(search: Search, kind: Kind) -> bool:
    """Call again what was called; whether the kind of call can be explored from there."""
    usable = []
    for sample in kind.samples:
        why = search.caller.eager(Candidate(sample))
        if why:
            search.notes.unusable(sample, why)
        else:
            usable.append(sample)
    _move_on(search, sorted(usable, key=lambda sample: sample.index))
    search.caller.restore()
    settled = [_settle(search, sample) for sample in usable]
    return any(settled)


def _move_on(search: Search, samples: list[Sample]) -> None:
    """The calls as they came, without taking back what they do to the program's state."""
    row = calls = found = 0
    for _ in range(_ROUNDS):
        before = found
        for sample in samples:
            if search.late() or calls >= _MOST_CALLS or row >= _UNBOUNDED:
                return
            calls += 1
            candidate = Candidate(sample)
            ids, error = search.caller.compile(candidate, restore=False)
            row = row + 1 if ids or error else 0
            if ids or error:
                found += 1
                unbounded = row >= _UNBOUNDED
                search.notes.found(candidate, ids, error, repeat=True, unbounded=unbounded)
        if found == before:
            return


def _settle(search: Search, sample: Sample) -> bool:
    """Whether a graph takes the call in the state that the program left, which is taken back."""
    candidate = Candidate(sample)
    search.tried.add(candidate.key())
    if not search.caller.served(candidate):
        search.caller.compile(candidate)
    return search.caller.served(candidate)
