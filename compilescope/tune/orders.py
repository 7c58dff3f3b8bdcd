"""Whether the best remedies also hold for other orders of the calls.

The program decides the order of its own calls. What the baseline kept of their inputs is therefore
called before the first of them, in another order each time, and every recompile counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.model import Recompiled
from compilescope.tune import warm
from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.trials import Attempt

if TYPE_CHECKING:
    from compilescope.tune.trials import Bench, Ran


def shuffle(bench: Bench, best: Ran) -> tuple[tuple[int, int] | None, list[str]]:
    """Fewest and most recompiles of `best` over other orders, and notes."""
    base = bench.baseline
    assert base is not None
    kept = sorted(base.notes.inputs, key=lambda note: int(note["index"]))
    if len(kept) < 2:
        return None, ["other orders of the calls: too few different inputs to try"]
    counts = []
    notes = []
    for label, order in _orders(base, kept):
        ran = bench.beside(Attempt((*best.candidates, _first(order)), f"the best, {label}"))
        if not ran.ok:
            notes.append(f"{label}: {ran.trial.outcome}, {ran.trial.why}")
            continue
        count = sum(isinstance(event, Recompiled) for event in ran.session.events)
        counts.append(count)
        notes.append(f"{label}: {count} recompiles")
    if not counts and not notes:
        notes.append("other orders of the calls: there is none that differs")
    return (min(counts), max(counts)) if counts else None, notes


def _orders(base: Ran, kept: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The orders that differ from the program's own and from each other."""
    generic = [note for note in kept if warm.is_generic(base, note)]
    edges = [note for note in kept if warm.is_edge(base, note)]
    paid = [note for note in kept if note["compiled"]]
    wanted = [
        ("generic calls first", generic),
        ("edge cases first", edges),
        ("calls that compiled first, last to first", paid[::-1]),
        ("last calls first", kept[::-1]),
    ]
    found: list[tuple[str, list[dict[str, Any]]]] = []
    for label, first in wanted:
        order = [*first, *(note for note in kept if note not in first)]
        if first and order != kept and order not in [one for _, one in found]:
            found.append((label, order))
    return found


def _first(order: list[dict[str, Any]]) -> Candidate:
    names = dict.fromkeys(note["callable"] for note in order)
    entries = tuple(
        Entry(
            "warm_up",
            {"callable": name, "inputs": [one["path"] for one in order if one["callable"] == name]},
        )
        for name in names
    )
    return Candidate("order", "calls in another order first", entries)
