"""Warm-up calls from the program's own inputs, as the baseline kept them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from compilescope.model import Called, Session, Signature
from compilescope.tune.remedy import Candidate, Entry

if TYPE_CHECKING:
    from compilescope.tune.trials import Ran

_PRICE = "the compiles happen at start-up: they are moved, not saved"


def generic(base: Ran) -> Iterator[Candidate]:
    """One call before the first with sizes that are all different, and none of them 0 or 1."""
    for name in dict.fromkeys(note["callable"] for note in base.notes.inputs):
        for note in _kept(base, name):
            if is_generic(base, note):
                yield _candidate(name, [note], f"one call of {name} with generic sizes first")
                break


def is_generic(base: Ran, note: dict[str, Any]) -> bool:
    """Whether the sizes of a kept call are of the ordinary sort: not 0, not 1, not all the same."""
    name = note["callable"]
    signature = _signature(base.session, name, note["index"])
    return signature is not None and _is_generic(signature, _varying(base.session, name))


def is_edge(base: Ran, note: dict[str, Any]) -> bool:
    """Whether a size of a kept call that varies is 0 or 1."""
    name = note["callable"]
    signature = _signature(base.session, name, note["index"])
    varying = _varying(base.session, name)
    return signature is not None and any(
        size < 2 and (item.source, dimension) in varying
        for item in signature.inputs
        for dimension, size in enumerate(item.shape or ())
    )


def replay(base: Ran) -> Iterator[Candidate]:
    """Every call that compiled, made once before the first."""
    names = dict.fromkeys(note["callable"] for note in base.notes.inputs)
    entries = []
    count = 0
    for name in names:
        kept = [note for note in _kept(base, name) if note["compiled"]]
        count += len(kept)
        if len(kept) > 1:
            entries.append(_entry(name, kept))
    if entries:
        text = f"warm-up: the {count} calls that compiled, made once at start-up"
        yield Candidate("warm_up", text, tuple(entries), _PRICE, "", 5)


def _candidate(name: str, notes: list[dict[str, Any]], text: str) -> Candidate:
    return Candidate("warm_up_unequal", text, (_entry(name, notes),), _PRICE, "", 5)


def _entry(name: str, notes: list[dict[str, Any]]) -> Entry:
    return Entry("warm_up", {"callable": name, "inputs": [note["path"] for note in notes]})


def _kept(base: Ran, name: str) -> list[dict[str, Any]]:
    found = [note for note in base.notes.inputs if note["callable"] == name]
    return sorted(found, key=lambda note: int(note["index"]))


def _varying(session: Session, name: str) -> set[tuple[str, int]]:
    """The dimensions whose size differs from call to call."""
    sizes: dict[tuple[str, int], set[int]] = {}
    for signature in _signatures(session, name).values():
        for item in signature.inputs:
            for dimension, size in enumerate(item.shape or ()):
                sizes.setdefault((item.source, dimension), set()).add(size)
    return {place for place, seen in sizes.items() if len(seen) > 1}


def _is_generic(signature: Signature, varying: set[tuple[str, int]]) -> bool:
    sizes: dict[tuple[str, int], int] = {
        (item.source, dimension): size
        for item in signature.inputs
        for dimension, size in enumerate(item.shape or ())
    }
    if not varying:  # then no size made it compile again
        return False
    found = [sizes[place] for place in varying if place in sizes]
    # Columns of one length (an edge list and its weights) are equal for a reason.
    return len(found) == len(varying) and min(found, default=2) > 1 and _spread(found)


def _spread(sizes: list[int]) -> bool:
    return len(set(sizes)) > 1 or len(sizes) < 2


def _signature(session: Session, name: str, index: int) -> Signature | None:
    found = _signatures(session, name)
    known = [place for place in found if place <= index]
    return found[max(known)] if known else None


def _signatures(session: Session, name: str) -> dict[int, Signature]:
    numbers = {place for place, one in enumerate(session.callables) if one.name == name}
    return {
        event.index: session.signatures[event.signature]
        for event in session.events
        if isinstance(event, Called)
        and event.callable in numbers
        and event.signature is not None
        and event.signature < len(session.signatures)
    }
