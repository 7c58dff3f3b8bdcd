"""What to do about a guard failure: ranked remedies in the user's own names."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.diagnose.explain_words import Words
from compilescope.diagnose.remedies import (
    modules,
    shapes,
    sizes,
    state,
    structures,
    tensors,
    values,
)
from compilescope.diagnose.remedies.catalogue import alone, offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.diagnose.evidence import EagerBreak, Evidence
    from compilescope.diagnosis import Remedy

_REMEDIES: dict[str, Callable[[Words], list[Remedy]]] = {
    **tensors.REMEDIES,
    **shapes.REMEDIES,
    **values.REMEDIES,
    **modules.REMEDIES,
    **structures.REMEDIES,
    **state.REMEDIES,
}


_SYMBOLIC = ("dynamic_true", "dynamic_sources", "mark_dynamic", "mark_unbacked")
_WITHOUT_ARGUMENT = ("dynamic_true", "dynamic_sources")


def remedies(evidence: Evidence) -> tuple[Remedy, ...]:
    """The remedies for `evidence`, best first, unsafe ones last; only those its torch has."""
    find = _REMEDIES.get(evidence.failure.kind) or _REMEDIES.get(
        evidence.failure.kind.partition(".")[0]
    )
    words = Words(evidence)
    found = list(find(words)) if find else list(structures.unknown(words))
    if words.crosses_break or evidence.made_inside:
        # No argument of the call: nothing that is marked or changed before the call is this value.
        general = (item for item in found if item.id in _WITHOUT_ARGUMENT)
        found = [_remove_break(words), *general]
    if evidence.failed and any(item.id in _SYMBOLIC for item in found):
        found = [item for item in found if item.id not in _SYMBOLIC]
        found.append(_constants(words))
    if evidence.eager_break is not None:
        found.insert(0, _remove_callers_break(evidence.eager_break))
    if evidence.limit_reached:
        found = _for_a_full_cache(found)
        found.append(_recompile_limit(evidence))
    return available(found, evidence.torch)


def has_remedies(kind: str) -> bool:
    """Whether guard failures of `kind` have remedies of their own."""
    return kind in _REMEDIES or kind.partition(".")[0] in _REMEDIES


def available(found: Iterable[Remedy], torch: tuple[int, int] | None) -> tuple[Remedy, ...]:
    """Those that `torch` has, each id once, unsafe ones last."""
    fitting: dict[str, Remedy] = {}
    for remedy in found:
        if torch is None or _exists(remedy, torch):
            fitting.setdefault(remedy.id, remedy)
    return tuple(sorted(fitting.values(), key=lambda remedy: remedy.unsafe))


def _exists(remedy: Remedy, torch: tuple[int, int]) -> bool:
    since, until = _version(remedy.since), _version(remedy.until)
    return (not since or torch >= since) and (not until or torch <= until)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")) if text else ()


def _remove_break(words: Words) -> Remedy:
    line = words.resumed_at
    at = f" at line {line}" if line else ""
    return offer(
        "remove_break",
        f"Remove the graph break{at}; the value then stays inside one graph and needs no guard",
    )


def _constants(words: Words) -> Remedy:
    """Where the compile with a symbol raised: a graph for each value."""
    return offer(
        "dynamic_false",
        "Compile with `dynamic=False`: each value then has a graph of its own, as the first had",
        sizes.compiled(words, "dynamic=False"),
    )


def _remove_callers_break(found: EagerBreak) -> Remedy:
    place, caller = found.place, found.caller
    inside = (place.path, place.function) == (caller.path, caller.function)
    where = "line " if inside else f"{PurePath(place.path).name}:"
    return offer(
        "remove_break",
        f"Remove the graph break at {where}{place.line}: because of it `{caller.function}` runs "
        "eagerly and its parts are compiled one by one",
    )


def _for_a_full_cache(found: list[Remedy]) -> list[Remedy]:
    """Warming up last: each graph that it needs counts towards the limit, which is reached."""
    warm = [
        structs.replace(item, text=f"{item.text}, which the limit must allow")
        for item in found
        if item.id == "warm_up"
    ]
    ordered = [*(item for item in found if item.id != "warm_up"), *warm]
    return [
        item if place else structs.replace(item, text=alone(item.text))
        for place, item in enumerate(ordered)
    ]


def _recompile_limit(evidence: Evidence) -> Remedy:
    old = evidence.torch is not None and evidence.torch < (2, 7)
    name = "cache_size_limit" if old else "recompile_limit"
    return offer(
        "recompile_limit",
        "Only after the cause is fixed: raise the recompile limit",
        f"torch._dynamo.config.{name} = 32",
    )
