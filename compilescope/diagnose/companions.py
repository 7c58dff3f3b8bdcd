"""What changed at the same calls as a cause, and would recompile once that cause is gone.

PyTorch prints the first failing guard only, so a second counter or a second size hides behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compilescope.diagnose.explain_words import as_written, bare, expression
from compilescope.model import GuardFailure

_SHOWN = 4
_PARAMETERS = {
    "module.param_shape": "size",
    "module.dtype": "dtype",
    "module.requires_grad": "requires_grad",
}
_ALIKE = ("requires_grad", "dtype")  # where many change alike, one thing was done to all of them
_RELATIONS = ("_range", "_mod")
_STACK = re.compile(r"^_{2,3}stack\d+")


def companions(cause: GuardFailure, failures: Iterable[Sequence[GuardFailure]]) -> tuple[str, ...]:
    """A sentence for each other thing that kept the nearest graph from serving these calls.

    Args:
        cause: The failure that PyTorch printed.
        failures: For each recompile of the cause, the further guards that failed.
    """
    values: dict[tuple[str, str, int | None], list[str]] = {}
    for failure in (item for found in failures for item in found):
        # Relations over a size that is itself the cause are its consequences.
        inside = cause.kind == "container.len" and failure.source.startswith(f"{cause.source}[")
        # A layout is one thing to change, in however many dimensions its strides differ. What is
        # sparse has none.
        about = _is_stride(cause) or cause.kind == "tensor.dispatch_key"
        layout = about and _is_stride(failure) and cause.source == failure.source
        relation = failure.kind.startswith("shape.") or failure.kind.endswith(_RELATIONS)
        if relation or same(failure, cause) or inside or layout:
            continue
        seen = values.setdefault((_property(failure), failure.source, failure.dimension), [])
        seen += [
            _short(bare(value).removeprefix("requires_grad="))
            for value in (failure.required, failure.observed)
            if _told(value)
        ]
    groups: dict[tuple[object, ...], list[tuple[str, str, int | None]]] = {}
    for place, seen in values.items():
        key = (place[0], *seen) if place[0] in _ALIKE else place
        groups.setdefault(key, []).append(place)
    found = [
        _sentence(*places[0], list(dict.fromkeys(values[places[0]])), len(places) - 1)
        for places in groups.values()
    ]
    return tuple(dict.fromkeys(found))[:_SHOWN]


def _is_stride(failure: GuardFailure) -> bool:
    return failure.kind == "tensor.stride" or "stride mismatch" in failure.raw


def _told(value: str) -> bool:
    """Whether a person can read the value; Dynamo's own helpers start with three underscores."""
    return bool(value) and not value.startswith("___")


def same(one: GuardFailure, other: GuardFailure) -> bool:
    """Whether both are about the same property of the same value."""
    if one.kind.startswith("shape.") and other.kind.startswith("shape."):
        return one.required.replace(" ", "") == other.required.replace(" ", "")
    if expression(one) == expression(other):
        return True  # a captured variable has a name of its own beside the guard's
    return (one.source, one.dimension, _property(one)) == (
        other.source,
        other.dimension,
        _property(other),
    )


def _property(failure: GuardFailure) -> str:
    known = _PARAMETERS.get(failure.kind)
    if known or failure.kind.startswith("tensor."):
        return known or failure.kind.rpartition(".")[2]
    return "value"


def _short(value: str) -> str:
    """A value, or a class without its module."""
    dotted = all(part.isidentifier() for part in value.split("."))
    short = value.rpartition(".")[2] if dotted else value
    return "None" if short == "NoneType" else short


def _sentence(
    what: str, source: str, dimension: int | None, values: list[str], others: int = 0
) -> str:
    if _STACK.match(source):
        subject = "another value that crosses the graph break"
    else:
        subject = f"`{as_written(source)}`" if source else "another condition"
    if what != "value":
        where = "" if dimension is None else f" {dimension}"
        more = f" and {others} other tensor{'s' * (others > 1)}" if others else ""
        subject = f"{what}{where} of {subject}{more}"
    shown = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
    seen = f" ({shown})" if shown else ""
    return f"{subject} changed at the same calls{seen}; fix both, as either one recompiles"
