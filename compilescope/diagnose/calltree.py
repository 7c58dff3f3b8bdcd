"""Compiled functions, each below the one that called it when it was first compiled."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.diagnosis import FunctionSummary
    from compilescope.model import Frame

    Below = Mapping[Frame | None, Sequence[FunctionSummary]]


class Branch(NamedTuple):
    """A function where it stands in the tree."""

    function: FunctionSummary
    depth: int
    last: bool  # of those that have its caller
    seconds: float  # of compiling it and everything below it


def branches(functions: Iterable[FunctionSummary]) -> list[Branch]:
    """Every function below its caller, the dearest branch first; roots have no known caller."""
    functions = tuple(functions)
    known = {item.frame for item in functions}
    below: dict[Frame | None, list[FunctionSummary]] = defaultdict(list)
    for item in functions:
        below[item.caller if item.caller in known else None].append(item)
    totals = {item.frame: _whole(item, below) for item in functions}
    for items in below.values():
        items.sort(key=lambda item: -totals[item.frame])
    found: dict[Frame, Branch] = {}
    # Those in a circle of callers hang on no root: they come after all others.
    for root in (*below[None], *functions):
        waiting = [(root, 0, root in below[None][-1:])]
        while waiting:
            item, depth, last = waiting.pop()
            if item.frame in found:
                continue
            found[item.frame] = Branch(item, depth, last, totals[item.frame])
            children = below[item.frame]
            waiting += [(one, depth + 1, one is children[-1]) for one in reversed(children)]
    return list(found.values())


def _whole(top: FunctionSummary, below: Below) -> float:
    """The seconds of a function with all that was compiled under it."""
    seen, waiting, total = {top.frame}, [top], 0.0
    while waiting:
        item = waiting.pop()
        total += item.seconds
        children = [one for one in below.get(item.frame, ()) if one.frame not in seen]
        seen.update(one.frame for one in children)
        waiting += children
    return total
