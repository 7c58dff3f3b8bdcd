"""What sets the inputs of a forecast apart, one cause for each size, layout or state."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.forecast.findings import LAYOUT
from compilescope.model import ForecastCause, Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.diagnosis import Cause
    from compilescope.forecast.findings import Found
    from compilescope.model import ForecastCall

_CALL = re.compile(r"\bcall 1\d{6}\b")  # of the exploration, numbered behind the program's own
_PLACE = re.compile(r"^(?P<source>.*)\.shape\[(?P<dimension>\d+)\]$")
REPEAT = "state"


def with_causes(
    found: list[Found], explained: Mapping[str, Cause]
) -> tuple[tuple[ForecastCall, ...], tuple[ForecastCause, ...]]:
    """The calls and their causes; `explained` is by compile id."""
    held: dict[str, list[int]] = {}
    for place, item in enumerate(found):
        for factor in _factors(item):
            held.setdefault(f"{item.call.callable}:{factor}", []).append(place)
    causes = {key: _cause(key, places, found, explained) for key, places in held.items()}
    calls = tuple(
        structs.replace(
            item.call,
            causes=tuple(causes[f"{item.call.callable}:{factor}"].id for factor in _factors(item)),
        )
        for item in found
    )
    ordered = sorted(causes.values(), key=lambda cause: (-(cause.seconds or 0), -cause.inputs))
    return calls, tuple(ordered)


def _factors(item: Found) -> tuple[str, ...]:
    if item.call.what != "graph":
        return ()
    return item.factors or (REPEAT if item.call.repeat else "sizes",)


def _cause(
    key: str, places: list[int], found: list[Found], explained: Mapping[str, Cause]
) -> ForecastCause:
    factor = key.partition(":")[2]
    items = [found[place] for place in places]
    match = _PLACE.match(factor)
    source, dimension = (match["source"], int(match["dimension"])) if match else ("", None)

    def distance(place: int) -> tuple[int, bool, int]:
        cause = _explanation(found[place], factor, explained)
        # An empty tensor also has other strides, which is not what its size is about.
        other = cause is None or (bool(match) and cause.kind.endswith("stride"))
        return len(_factors(found[place])), other, place

    smallest = min(places, key=distance)
    cause = _explanation(found[smallest], factor, explained)
    known = [item.call.seconds for item in items if item.call.seconds is not None]
    remedy = cause.remedies[0] if cause and cause.remedies else None
    frames = found[smallest].call.frames
    kind = cause.kind if cause else "unknown"
    return ForecastCause(
        id=hashlib.sha256(f"forecast {key} {kind}".encode()).hexdigest()[:12],
        kind=kind,
        source=source or (cause.source if cause else ""),
        dimension=dimension if match else cause.dimension if cause else None,
        frame=cause.frame if cause else frames[0] if frames else Frame("", 0),
        why=_why(found[smallest], factor, cause),
        values=_values(items, source, dimension),
        alone=sum(len(_factors(item)) == 1 for item in items),
        inputs=len(items),
        seconds=sum(known) if known else None,
        smallest=smallest,
        remedy=remedy.text if remedy else "",
        snippet=remedy.snippet if remedy else "",
    )


def _explanation(item: Found, factor: str, explained: Mapping[str, Cause]) -> Cause | None:
    cause = next((explained[name] for name in item.ids if name in explained), None)
    alone = len(_factors(item)) == 1
    layout = cause is not None and factor == LAYOUT and cause.kind.endswith("stride")
    named = cause is not None and bool(cause.source) and factor.startswith(cause.source)
    return cause if alone or layout or named else None


def _why(item: Found, factor: str, cause: Cause | None) -> str:
    if cause is not None:
        return _CALL.sub("such an input", cause.why)
    if item.call.error:
        return "The program takes this input without torch.compile, and fails with it."
    if factor == LAYOUT:
        return "Tensors that are empty can have strides of several kinds; graphs are made for one."
    return f"`{factor}` of this value needs a graph of its own together with the other sizes named."


def _values(items: list[Found], source: str, dimension: int | None) -> tuple[str, ...]:
    values = [
        change.value
        for item in items
        for change in item.call.changes
        if (change.source, change.dimension) == (source, dimension)
    ]
    return tuple(sorted(dict.fromkeys(values), key=lambda text: (len(text), text)))
