"""What has not varied yet though a guard fixes it, one entry for each size, value or mode. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.forecast.factors import of_inputs
from compilescope.model import ForecastFixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from compilescope.diagnosis import Cause
    from compilescope.forecast.findings import Findings, Found
    from compilescope.model import ForecastChange

_BY_OTHER_NAMES = ("mode", "dtype")


def entries(
    found: list[Found], explained: Mapping[str, Cause], findings: Findings
) -> tuple[ForecastFixed, ...]:
    """The entries, those that were compiled first.

    Args:
        found: The inputs of the exploration, in the order of the forecast's calls.
        explained: What the compiler's reasons mean, by compile id.
        findings: For the sizes of which each value compiles.
    """
    held: dict[tuple[int, str, int | None, str], list[int]] = {}
    for place, item in enumerate(found):
        if item.call.what == "assumed" and item.call.changes:
            change = item.call.changes[0]
            key = (item.call.callable, change.source, change.dimension, change.kind)
            held.setdefault(key, []).append(place)
    made = [_entry(places, found, explained, findings) for places in held.values()]
    return tuple(sorted(made, key=lambda entry: not entry.graphs))


def names(entries: tuple[ForecastFixed, ...], number: int) -> Iterator[str]:
    """What of a callable has not varied, in a few words each."""
    for entry in entries:
        if entry.callable != number:
            continue
        if entry.kind == "mode" and entry.values[0].startswith("requires_grad"):
            yield f"requires_grad of {entry.source}"
        elif entry.kind in ("layout", "dtype"):
            yield f"{entry.kind} of {entry.source}"
        else:
            yield entry.source + size(entry.dimension)


def size(dimension: int | None) -> str:
    """`.shape[0]`, or nothing."""
    return "" if dimension is None else f".shape[{dimension}]"


def _entry(
    places: list[int], found: list[Found], explained: Mapping[str, Cause], findings: Findings
) -> ForecastFixed:
    items = [found[place] for place in places]
    first = items[0].call.changes[0]
    cause = _cause(items[0], first, explained)
    seconds = [item.call.seconds for item in items if item.call.seconds is not None]
    number = items[0].call.callable
    remedy = cause.remedies[0] if cause and cause.remedies else None
    return ForecastFixed(
        callable=number,
        source=first.source,
        dimension=first.dimension,
        kind=first.kind,
        held=first.held,
        calls=tuple(places),
        values=tuple(dict.fromkeys(item.call.changes[0].value for item in items)),
        graphs=sum(item.call.graphs for item in items),
        seconds=sum(seconds) if seconds else None,
        unbounded=first.source + size(first.dimension) in findings.unbounded_fixed.get(number, ()),
        frame=cause.frame if cause else next(iter(items[0].call.frames), None),
        why=of_inputs(cause.why) if cause else _always(first),
        remedy=remedy.text if remedy else "",
        snippet=remedy.snippet if remedy else "",
    )


def _always(change: ForecastChange) -> str:
    name = change.source + size(change.dimension)
    held = f" was {change.held}" if change.held else " was the same"
    return f"`{name}`{held} in all calls of this kind so far, and no graph takes another one."


def _cause(item: Found, change: ForecastChange, explained: Mapping[str, Cause]) -> Cause | None:
    """The explanation that is of what changed: the nearest graph may differ in more than that."""
    if change.kind in _BY_OTHER_NAMES:
        return None
    changed = tuple(one.source for one in item.call.changes)
    causes = (explained[name] for name in item.ids if name in explained)
    return next((cause for cause in causes if cause.source.startswith(changed)), None)
