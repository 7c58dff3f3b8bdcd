"""Diagnosis and diagnosis to comparison. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from compilescope.comparison import Change, Comparison, Item, Total
from compilescope.diagnose.strips import call_strip
from compilescope.diagnose.verdict import duration
from compilescope.diagnosis import Diagnosis
from compilescope.model import CallStrip, Environment, Frame

# Settings that change what is compiled or how long it takes; others differ without harm.
_CONFIG = (
    "dynamo.recompile_limit",
    "dynamo.capture_scalar_outputs",
    "dynamo.capture_dynamic_output_shape_ops",
    "dynamo.assume_static_by_default",
    "dynamo.automatic_dynamic_shapes",
    "dynamo.specialize_float",
    "dynamo.allow_unspec_int_on_nn_module",
    "dynamo.force_parameter_static_shapes",
    "inductor.max_autotune",
    "inductor.triton.cudagraphs",
    "shapes.use_duck_shape",
)
_COUNTED = ("calls", "compiles", "recompiles", "graph breaks", "fallbacks")
_TOLERANCE = 0.05  # seconds and share below which two runs do not differ


def compare(before: Diagnosis, after: Diagnosis) -> Comparison:
    """What became better or worse from `before` to `after`, and why the two may not compare."""
    items = sorted(_items(before, after), key=lambda item: -abs(item.seconds[1] - item.seconds[0]))
    state = _status(items)
    return Comparison(
        verdict=_verdict(state, items, before, after),
        status=state,
        before=before.name,
        after=after.name,
        totals=_totals(before, after),
        items=tuple(items),
        caveats=tuple(_caveats(before, after)),
        calls=_strips(before, after),
    )


def _strips(before: Diagnosis, after: Diagnosis) -> tuple[CallStrip, CallStrip] | None:
    """The calls of the dearest callable that both runs have."""
    names = {series.name for series in after.calls}
    common = [series.name for series in before.calls if series.name in names]
    one, other = call_strip(before, common[:1]), call_strip(after, common[:1])
    return (one, other) if common and one and other else None


class _Entry:
    """What the two runs say of one cause."""

    def __init__(self, what: str, kind: str, source: str, frame: Frame, why: str) -> None:
        self.what, self.kind, self.source, self.frame, self.why = what, kind, source, frame, why
        self.times = 0
        self.seconds = 0.0


def _entries(diagnosis: Diagnosis) -> dict[tuple[str, str], _Entry]:
    found: dict[tuple[str, str], _Entry] = {}
    for cause in diagnosis.causes:
        new = _Entry("recompile", cause.kind, cause.source, cause.frame, cause.why)
        entry = found.setdefault(("recompile", cause.id), new)
        entry.times += cause.times
        entry.seconds += cause.seconds_lost
    for item in diagnosis.graph_breaks:
        new = _Entry("graph break", item.gb_id or item.type, "", item.frame, item.why)
        entry = found.setdefault(("graph break", item.id), new)
        # Times count how often a break was logged, which grows with recompiles; places count.
        entry.times += 1
        entry.seconds += item.seconds
    for fallback in diagnosis.fallbacks:
        name = fallback.frame.function
        new = _Entry("fallback", fallback.limit_name, name, fallback.frame, fallback.why)
        found.setdefault(("fallback", name), new).times += 1
    return found


def _items(before: Diagnosis, after: Diagnosis) -> Iterable[Item]:
    old, new = _entries(before), _entries(after)
    for key in dict.fromkeys((*old, *new)):
        one, other = old.get(key), new.get(key)
        shown = other or one
        assert shown is not None
        times = (one.times if one else 0, other.times if other else 0)
        yield Item(
            id=key[1],
            what=shown.what,
            kind=shown.kind,
            source=shown.source,
            frame=shown.frame,
            change=_change(times),
            why=shown.why,
            times=times,
            seconds=(one.seconds if one else 0.0, other.seconds if other else 0.0),
        )


def _change(times: tuple[int, int]) -> Change:
    before, after = times
    if not before:
        return "new"
    if not after:
        return "gone"
    if before == after:
        return "same"
    return "smaller" if after < before else "larger"


def _status(items: Iterable[Item]) -> Literal["better", "same", "worse", "mixed"]:
    changes = {item.change for item in items} - {"same"}
    better, worse = changes & {"gone", "smaller"}, changes & {"new", "larger"}
    if better and worse:
        return "mixed"
    if worse:
        return "worse"
    return "better" if better else "same"


def _verdict(state: str, items: list[Item], before: Diagnosis, after: Diagnosis) -> str:
    counts = (before.counts.recompiles, after.counts.recompiles)
    broken = (before.counts.graph_breaks, after.counts.graph_breaks)
    lost = (before.seconds.lost, after.seconds.lost)
    words = {"better": "Better", "worse": "Worse", "mixed": "Mixed", "same": "No change"}[state]
    new = sum(item.change == "new" for item in items)
    cost = ""
    if abs(lost[1] - lost[0]) > _TOLERANCE:
        cost = f", {duration(lost[0])} lost before and {duration(lost[1])} after"
    return (
        f"{words}: recompiles {counts[0]} to {counts[1]}, graph breaks {broken[0]} to {broken[1]}"
        f"{cost}{f'; {new} new' if new else ''}."
    )


def _totals(before: Diagnosis, after: Diagnosis) -> tuple[Total, ...]:
    one, other = _numbers(before), _numbers(after)
    return tuple(
        Total(name, value, other[name], "" if name in _COUNTED else "s")
        for name, value in one.items()
    )


def _numbers(diagnosis: Diagnosis) -> dict[str, float | None]:
    main = diagnosis.calls[0] if diagnosis.calls else None
    counts: dict[str, float | None] = {
        name: getattr(diagnosis.counts, name.replace(" ", "_")) for name in _COUNTED
    }
    return counts | {
        "compiling": diagnosis.seconds.compiling,
        "lost to recompiles": diagnosis.seconds.lost,
        "program": diagnosis.seconds.total,
        "steady call": main.steady if main else None,
        "slowest call": max(main.seconds, default=None) if main else None,
    }


def _caveats(before: Diagnosis, after: Diagnosis) -> Iterable[str]:
    one, other = before.environment, after.environment
    if one.torch != other.torch:
        yield f"torch differs: {one.torch or 'unknown'} and {other.torch or 'unknown'}"
    if one.devices != other.devices:
        yield f"devices differ: {_list(one.devices)} and {_list(other.devices)}"
    if one.python.split(".")[:2] != other.python.split(".")[:2]:
        yield f"Python differs: {one.python or 'unknown'} and {other.python or 'unknown'}"
    yield from _config(one, other)
    if before.command and after.command and before.command != after.command:
        yield f"the commands differ: `{' '.join(before.command)}` and `{' '.join(after.command)}`"
    if before.counts.calls and after.counts.calls and before.counts.calls != after.counts.calls:
        yield f"the number of calls differs: {before.counts.calls} and {after.counts.calls}"
    for name, item in (("first", before), ("second", after)):
        if item.incomplete:
            yield f"the {name} session is incomplete: {item.incomplete[0].what}"


def _config(one: Environment, other: Environment) -> Iterable[str]:
    for key in _CONFIG:
        values = one.config.get(key), other.config.get(key)
        if None not in values and values[0] != values[1]:
            yield f"`{key}` differs: {values[0]} and {values[1]}"


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
