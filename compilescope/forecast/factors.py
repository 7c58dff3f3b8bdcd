"""What sets the inputs of a forecast apart, one cause for each size, layout or state."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.forecast.findings import LAYOUT
from compilescope.model import ForecastCause, Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.diagnosis import Cause
    from compilescope.forecast.findings import Found
    from compilescope.model import ForecastCall, ForecastChange

_CALL = re.compile(r"\bcall 1\d{6}\b")  # of the exploration, numbered behind the program's own
_PLACE = re.compile(r"^(?P<source>.*)\.shape\[(?P<dimension>\d+)\]$")
REPEAT = "state"


def with_causes(
    found: list[Found], explained: Mapping[str, Cause], happened: Mapping[str, int]
) -> tuple[tuple[ForecastCall, ...], tuple[ForecastCause, ...]]:
    """The calls and their causes.

    Args:
        found: The inputs of the exploration.
        explained: What the compiler's reasons mean, by compile id.
        happened: How often the run itself recompiled, by the id of the diagnosis's cause.
    """
    found = [replace(item, factors=_factors(item, explained)) for item in found]
    held: dict[str, list[int]] = {}
    for place, item in enumerate(found):
        for factor in item.factors:
            held.setdefault(f"{item.call.callable}:{factor}", []).append(place)
    causes = {key: _cause(key, places, found, explained, happened) for key, places in held.items()}
    calls = tuple(
        structs.replace(
            item.call,
            causes=tuple(causes[f"{item.call.callable}:{factor}"].id for factor in item.factors),
        )
        for item in found
    )
    ordered = sorted(causes.values(), key=lambda cause: (-(cause.seconds or 0), -cause.inputs))
    return calls, tuple(ordered)


def of_inputs(why: str) -> str:
    """An explanation of the diagnosis with the exploration's calls as what they are: inputs."""
    return _CALL.sub("such an input", why)


def _factors(item: Found, explained: Mapping[str, Cause]) -> tuple[str, ...]:
    if item.call.what != "graph":
        return ()
    if item.factors:
        return item.factors
    # Nothing is special about the input itself: the compiler's reasons tell inputs apart.
    names = [explained[name].id for name in item.ids if name in explained]
    return tuple(dict.fromkeys(f"{REPEAT} {name}" for name in names)) or (REPEAT,)


def _cause(
    key: str,
    places: list[int],
    found: list[Found],
    explained: Mapping[str, Cause],
    happened: Mapping[str, int],
) -> ForecastCause:
    factor = key.partition(":")[2]
    items = [found[place] for place in places]
    match = _PLACE.match(factor)
    source, dimension = (match["source"], int(match["dimension"])) if match else ("", None)

    def distance(place: int) -> tuple[int, bool, int]:
        cause = _explanation(found[place], factor, explained)
        # An empty tensor also has other strides, which is not what its size is about.
        other = cause is None or (bool(match) and cause.kind.endswith("stride"))
        return len(found[place].factors), other, place

    smallest = min(places, key=distance)
    cause = _explanation(found[smallest], factor, explained)
    known = [item.call.seconds for item in items if item.call.seconds is not None]
    remedy = cause.remedies[0] if cause and cause.remedies else None
    frames = found[smallest].call.frames
    kind = cause.kind if cause else "tensor.stride" if factor == LAYOUT else "unknown"
    values = _values(items, factor)
    return ForecastCause(
        id=hashlib.sha256(f"forecast {key} {kind}".encode()).hexdigest()[:12],
        kind=kind,
        source=source or (cause.source if cause else "") or factor.partition(" of ")[2],
        special="" if match else _special(factor, values, cause),
        # A layout or a mode is of no dimension, whichever the guard on it names.
        dimension=dimension if match or values else cause.dimension if cause else None,
        frame=cause.frame if cause else frames[0] if frames else Frame("", 0),
        why=_why(found[smallest], factor, cause),
        values=values,
        alone=sum(len(item.factors) == 1 for item in items),
        inputs=len(items),
        seconds=sum(known) if known else None,
        smallest=smallest,
        remedy=remedy.text if remedy else "",
        snippet=remedy.snippet if remedy else "",
        happened=happened.get(cause.id, 0) if cause else 0,
    )


def _special(factor: str, values: tuple[str, ...], cause: Cause | None) -> str:
    kind, of, source = factor.partition(" of ")
    if not values or not of:
        return ""
    if kind == "contents":
        return f"other values in {source}"
    other = cause is not None and cause.source != source
    return f"{source}: {' or '.join(values)}" if other else ""


def _explanation(item: Found, factor: str, explained: Mapping[str, Cause]) -> Cause | None:
    causes = [explained[name] for name in item.ids if name in explained]
    if factor.startswith(REPEAT):
        return next((cause for cause in causes if factor.endswith(cause.id)), None)
    cause = causes[0] if causes else None
    alone = len(item.factors) == 1
    layout = cause is not None and factor == LAYOUT and cause.kind.endswith("stride")
    named = cause is not None and bool(cause.source) and factor.startswith(cause.source)
    return cause if alone or layout or named else None


def _why(item: Found, factor: str, cause: Cause | None) -> str:
    if cause is not None:
        return of_inputs(cause.why)
    if item.call.error:
        return "The program takes this input without torch.compile, and fails with it."
    if factor == LAYOUT:
        return "Tensors that are empty can have strides of several kinds; graphs are made for one."
    return f"`{factor}` of this value needs a graph of its own together with what else is named."


def _values(items: list[Found], factor: str) -> tuple[str, ...]:
    values = [
        change.value for item in items for change in item.call.changes if _factor(change) == factor
    ]
    return tuple(sorted(dict.fromkeys(values), key=lambda text: (len(text), text)))


def _factor(change: ForecastChange) -> str:
    if change.dimension is not None:
        return f"{change.source}.shape[{change.dimension}]"
    return change.source if change.kind == "value" else f"{change.kind} of {change.source}"
