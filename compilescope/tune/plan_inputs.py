"""Trials that change an argument on its way in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compilescope.diagnose.uses import Use, use
from compilescope.tune.remedy import Candidate, argument
from compilescope.tune.situation import Situation


def changes(situation: Situation) -> Iterator[Candidate]:
    """Changes to an argument on its way in."""
    path = situation.words.variable
    if not situation.is_argument or not path or path == "self":
        return
    offered = situation.remedies
    for remedy, (do, more) in _CHANGES.items():
        # A number inside of a container is held there: see `plan_state`.
        inside = remedy == "pass_as_tensor" and not path.isidentifier()
        # An argument of a call that takes numbers only is another line to write.
        inside |= remedy == "pass_as_tensor" and use(situation.words) is Use.NUMBER
        if remedy in offered and not inside:
            given = {key: find(situation) for key, find in more.items()}
            if None in given.values():
                continue
            snippet = offered[remedy].snippet or _TEXTS.get(remedy, f"{remedy}({{}})").format(path)
            entry = argument(situation.callable, path, do, **given)
            yield situation.candidate(remedy, snippet, entry, weight=2)
    if situation.cause.kind == "shape.storage_offset" or situation.cause.kind.startswith("alias"):
        entry = argument(situation.callable, path, "clone")
        yield situation.candidate("clone", f"{path} = {path}.clone()", entry, weight=2)


def _first_dtype(situation: Situation) -> str | None:
    found = situation.brought(situation.words.variable)
    return found[0].dtype.removeprefix("torch.") if found and found[0].dtype else None


def _first_device(situation: Situation) -> str | None:
    found = situation.brought(situation.words.variable)
    return found[0].device or None if found else None


_TEXTS = {"own_dict": "pass dict({})", "pass_as_tensor": "pass torch.tensor({})"}
# Remedy to what the agent does to the argument, and what else it must be told.
_CHANGES: dict[str, tuple[str, dict[str, Callable[[Situation], str | None]]]] = {
    "clone": ("clone", {}),
    "contiguous": ("contiguous", {}),
    "channels_last": ("channels_last", {}),
    "cast_dtype": ("dtype", {"to": _first_dtype}),
    "same_device": ("device", {"to": _first_device}),
    "resolve": ("resolve", {}),
    "to_dense": ("dense", {}),
    "plain_tensor": ("plain_tensor", {}),
    "detach": ("detach", {}),
    "pass_as_tensor": ("tensor", {}),
    "plain_container": ("plain", {}),
    "own_dict": ("dict", {}),
}
