"""The one of a function's graphs that is told as the nearest, among those that fail a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from compilescope.diagnose.companions import same
from compilescope.diagnose.explain_words import as_written, bare
from compilescope.diagnose.guard_checks import TypeCheck, checks_of
from compilescope.diagnose.nearest import Difference, Inputs, differences, size_of
from compilescope.diagnose.timeline import CompileKey
from compilescope.model import Compiled, GuardFailure, Recompiled

_OF_STRIDES = re.compile(r"(?P<tensor>[^\s(*]\S*)\.stride\(\)")
_FROM_TWO = re.compile(r"^2 <= (?P<tensor>\S+)\.size\(\)\[(?P<dimension>\d+)\](?: <= \d+)?$")
_UNSAID = frozenset({"unknown", "lifetime.dealloc"})


class Nearest(NamedTuple):
    """The nearest graph, what PyTorch said of it, and what else keeps it from serving the call."""

    failure: GuardFailure
    entry: Compiled | None = None
    others: tuple[GuardFailure, ...] = ()


class _Candidate(NamedTuple):
    failure: GuardFailure
    entry: Compiled | None
    found: list[Difference]
    differences: int


def nearest(event: Recompiled, compiles: Mapping[CompileKey, Compiled], call: Inputs) -> Nearest:
    """The graph with the fewest independent differences; of equals the newest.

    A graph that took another path early has few guards to fail. It gives way to one that took the
    call's path.
    """
    found = [
        _candidate(failure, compiles.get((event.process, failure.entry)), call)
        for failure in sorted(event.reasons, key=lambda reason: _age(reason.entry))
    ]
    if not found:
        return Nearest(GuardFailure(kind="unknown", raw=""))
    found = _of_its_class(found)
    ranks = [_rank(item) for item in found]
    least = min(ranks)
    equal = [item for item, rank in zip(found, ranks, strict=True) if rank == least]
    if any(item.failure.kind == "shape.zero_one" for item in equal):
        equal.sort(key=_is_for_other_sizes)
    chosen, *rest = equal
    for item in rest:
        if _went_another_way(chosen, item):
            chosen = item
    others = (item.failure(chosen.failure.entry) for item in chosen.found)
    return Nearest(
        chosen.failure,
        chosen.entry,
        tuple(item for item in others if not same(item, chosen.failure)),
    )


def _of_its_class(found: list[_Candidate]) -> list[_Candidate]:
    """Without the graphs for another class of an argument, where one was made for its class.

    Of another class a graph has little else to compare.
    """
    fitting: list[_Candidate] = []
    others: list[_Candidate] = []
    for item in found:
        (others if _is_for_another_class(item) else fitting).append(item)
    same = any(_checks_class(item, other.found) for item in fitting for other in others)
    return fitting if same else found


def _is_for_another_class(item: _Candidate) -> bool:
    return any(one.aspect == "type" and _is_argument(one.source) for one in item.found)


def _is_argument(source: str) -> bool:
    return as_written(source).isidentifier()


def _checks_class(item: _Candidate, missed: list[Difference]) -> bool:
    """Whether the graph asks for a class for what another graph has of another class."""
    if item.entry is None or not item.found:
        return False
    keys = {as_written(one.source) for one in missed if one.aspect == "type"}
    return any(
        isinstance(check, TypeCheck) and check.key in keys and check.key.isidentifier()
        for check in checks_of(item.entry.guards)
    )


def _candidate(failure: GuardFailure, entry: Compiled | None, call: Inputs) -> _Candidate:
    found = differences(entry, call) if entry and call else []
    if failure.kind in ("shape.range", "shape.stride"):
        for item in found:
            tensor = _small(item, call)
            if tensor and tensor in failure.raw:
                own = item.failure(failure.entry)
                same_guard = own.required == failure.required
                failure = replace(failure if same_guard else own, kind="shape.zero_one")
                # Whatever else the graph asks of that size follows from it.
                follows = re.compile(rf"(?<![\w.]){re.escape(tensor)}\.(?:size|stride)\(")
                found = [item, *(one for one in found if not follows.search(one.required))]
                break
    return _Candidate(failure, entry, found, _count(found, failure))


def _small(item: Difference, call: Inputs) -> str:
    """The tensor that has 0 or 1 in a dimension which the graph leaves open, "" if none."""
    match = _FROM_TWO.match(item.required) if item.aspect == "guard" else None
    if match is None or size_of(match["tensor"], int(match["dimension"]), call) not in ("0", "1"):
        return ""
    return match["tensor"]


def _went_another_way(one: _Candidate, other: _Candidate) -> bool:
    """Whether the first graph never came to what the second one fails for, and that to both."""
    return _looks_at(other, one) and not _looks_at(one, other)


def _looks_at(one: _Candidate, other: _Candidate) -> bool:
    """Whether one graph has a guard on what the other fails for."""
    source = other.failure.source
    if not source or one.entry is None:
        return True
    return any(source in as_written(guard) for guard in one.entry.guards)


def _is_for_other_sizes(item: _Candidate) -> bool:
    """Whether the graph is for 0 or 1 alone or from a limit up: another serves all from 2 up."""
    alone = item.failure.kind == "tensor.size" and bare(item.failure.required) in ("0", "1")
    return alone or item.failure.kind == "shape.range"


def _rank(item: _Candidate) -> tuple[bool, bool, int]:
    # A graph for other parameters is another model's, or from before they were frozen: whatever
    # else is changed, it will not serve.
    other = any("._parameters[" in one.source for one in item.found)
    return item.failure.kind in _UNSAID, other, item.differences


def _count(found: list[Difference], failure: GuardFailure) -> int:
    """How many independent things differ."""
    if len(found) < 2:
        return 1 + (bool(found) and not _says(found[0], failure))
    sized = {item.source for item in found if item.aspect.startswith(("size", "rank"))}
    own = [item for item in found if not _follows(item, sized)]
    # One size in many tensors, one mode in many modules: one thing has changed.
    things = {_thing(item) for item in own}
    return len(things) + (not any(_says(item, failure) for item in own))


def _follows(item: Difference, sized: set[str]) -> bool:
    """Whether it is a stride of a tensor that has another size."""
    if item.aspect == "guard":
        return any(found["tensor"] in sized for found in _OF_STRIDES.finditer(item.required))
    return item.aspect.startswith("stride") and item.source in sized


def _thing(item: Difference) -> tuple[str, str, str]:
    return item.aspect.partition(" ")[0], item.required, item.observed


def _says(item: Difference, failure: GuardFailure) -> bool:
    if item.aspect == "guard" or as_written(item.source) == failure.source:
        return True
    return same(item.failure(failure.entry), failure)  # a captured variable has two names


def _age(entry: str) -> int:
    """Sorts compile ids newest first."""
    number = entry.rpartition("/")[2].partition("_")[0]
    return -int(number) if number.isdigit() else 0
