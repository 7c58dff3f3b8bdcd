"""The warm-up: a Python file that calls a model once for every graph of a forecast."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.forecast.order import ordered
from compilescope.forecast.warmup_text import HEAD, TAIL

if TYPE_CHECKING:
    from compilescope.model import Forecast, ForecastCall, ForecastKey, ForecastLeaf, Session

    Keys = tuple[ForecastKey, ...]


@dataclass(frozen=True)
class Function:
    """One function of the file."""

    name: str
    constant: str  # the list of its calls
    target: str
    callable: int
    calls: tuple[ForecastCall, ...]


def warmup(session: Session) -> str:
    """The file for `session`, whose forecast must not be None."""
    assert session.forecast is not None
    found = functions(session)
    total = sum(len(one.calls) for one in found)
    usage = [
        f"    {one.name}(compiled_{_identifier(one.target)}, *args, **kwargs)" for one in found
    ]
    head = HEAD.format(
        name=session.name or "a program",
        usage="\n".join(usage),
        count=f"{total} calls, the most general first.",
        proof=_proof(session.forecast),
        torch=session.environment.torch or "unknown",
    )
    return head + "\n".join(_function(one) for one in found) + TAIL


def functions(session: Session) -> list[Function]:
    """What the file of `session` consists of."""
    forecast = session.forecast
    assert forecast is not None
    chosen = forecast.warmup.calls if forecast.warmup else _every(forecast, len(session.callables))
    calls = [forecast.calls[place] for place in chosen]
    several = len({call.callable for call in calls}) > 1
    found: list[Function] = []
    for number, target in enumerate(session.callables):
        mine = tuple(call for call in calls if call.callable == number)
        if not mine:
            continue
        name = f"warm_up_{_identifier(target.name)}" if several else "warm_up"
        if name in {one.name for one in found}:
            name = f"{name}_{number}"
        found.append(Function(name, f"_{name.upper()}", target.name, number, mine))
    return found


def _every(forecast: Forecast, callables: int) -> list[int]:
    return [place for number in range(callables) for place in ordered(forecast.calls, number)]


def _proof(forecast: Forecast) -> str:
    left = forecast.warmup.left if forecast.warmup else None
    if forecast.warmup and forecast.warmup.error:
        return f"Tried by a run of the program: it ended with {forecast.warmup.error}"
    if left is None:
        return "Whether it leaves nothing to compile was not tried."
    if left:
        return f"Tried by a run of the program: {left} of the inputs foreseen still compiled."
    return "Tried by a run of the program: after it nothing compiled, of all inputs foreseen."


def _function(one: Function) -> str:
    lines = [f"{one.constant}: list[Any] = ["]
    varied = _varied(one.calls)
    for call in one.calls:
        lines.append(f"    # {_title(call)}")
        lines.append(f"    ({_modes(call, one.calls)}, [")
        lines += [f"        {text}," for leaf in call.leaves if (text := _part(leaf, varied))]
        lines.append("    ]),")
    lines.append("]")
    body = [
        "",
        "",
        f"def {one.name}(model: Any, /, *args: Any, **kwargs: Any) -> None:",
        f'    """Call `{one.target}` once for every graph, with inputs made from this one."""',
        f"    _warm_up(model, {one.constant}, args, kwargs)",
        "",
    ]
    return "\n".join(lines + body)


def _varied(calls: tuple[ForecastCall, ...]) -> set[tuple[Keys, str]]:
    """Which properties of which parts differ between the calls: the sample's own hold elsewhere."""
    seen: dict[tuple[Keys, str], set[object]] = {}
    for call in calls:
        for leaf in call.leaves:
            kind = "tensor" if leaf.shape is not None else "value" if leaf.value else "container"
            seen.setdefault((leaf.keys, "kind"), set()).add(kind)
            for name in ("dtype", "requires_grad", "value", "length", "names"):
                seen.setdefault((leaf.keys, name), set()).add(getattr(leaf, name))
    present = Counter(leaf.keys for call in calls for leaf in call.leaves)
    return {
        (keys, name)
        for (keys, name), values in seen.items()
        if len(values) > 1 or present[keys] < len(calls)
    }


def _part(leaf: ForecastLeaf, varied: set[tuple[Keys, str]]) -> str:
    keys = repr(tuple(leaf.keys))
    if leaf.shape is not None:
        more = f", {leaf.dtype}" if (leaf.keys, "dtype") in varied else ", None"
        more += f", {leaf.fill!r}"
        if (leaf.keys, "requires_grad") in varied:
            more += f", {leaf.requires_grad}"
        elif not leaf.fill:
            more = "" if more.startswith(", None") else more.removesuffix(", ''")
        return f'({keys}, "tensor", {leaf.shape!r}, {leaf.strides!r}{more})'
    if leaf.length is not None:
        wanted = (leaf.keys, "length") in varied or (leaf.keys, "kind") in varied
        return f'({keys}, "length", {leaf.length})' if wanted else ""
    if leaf.names is not None:
        wanted = (leaf.keys, "names") in varied or (leaf.keys, "kind") in varied
        return f'({keys}, "names", {leaf.names!r})' if wanted else ""
    wanted = (leaf.keys, "value") in varied or (leaf.keys, "kind") in varied
    return f'({keys}, "value", {leaf.value or None})' if wanted else ""


def _title(call: ForecastCall) -> str:
    if call.what == "observed":
        return f"call {call.call} of the program"
    return title(call) or "ordinary sizes, all different"


def title(call: ForecastCall) -> str:
    """What is special about an input, on one line."""
    by_value: dict[str, list[str]] = {}
    for change in call.changes:
        place = change.source + ("" if change.dimension is None else f".shape[{change.dimension}]")
        by_value.setdefault(_worded(change.kind, change.value), []).append(place)
    text = ", ".join(f"{' = '.join(places)}{value}" for value, places in by_value.items())
    return f"{text}; {call.layout}" if call.layout else text


_CONTENTS = {"zeros": "all zeros", "ones": "all ones"}


def _worded(kind: str, value: str) -> str:
    if kind == "contents":
        return f" with other values ({_CONTENTS.get(value, value)})"
    return f": {value}" if kind in ("layout", "mode", "structure") else f" = {value}"


def _modes(call: ForecastCall, calls: tuple[ForecastCall, ...]) -> str:
    parts = []
    if call.inference:
        parts.append('"inference": True')
    else:
        parts.append(f'"grad": {call.grad}')
    if call.autocast:
        pairs = "".join(f'("{kind}", {dtype}), ' for kind, dtype in call.autocast)
        parts.append(f'"autocast": ({pairs.rstrip()})')
    if len({one.training for one in calls}) > 1 and call.training is not None:
        parts.append(f'"training": {call.training}')
    if len({one.default_dtype for one in calls}) > 1 and call.default_dtype:
        parts.append(f'"default_dtype": {call.default_dtype}')
    return "{" + ", ".join(parts) + "}"


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_").lower() or "callable"
