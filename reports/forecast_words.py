"""What every report says of a forecast in the same words."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compilescope.forecast.warmup import title

from .words import continued, few, place, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import (
        Forecast,
        ForecastCall,
        ForecastCallable,
        ForecastFixed,
        ForecastFrame,
        ForecastState,
    )


_MARK = re.compile(r"(mark_\w+)\([^()]*\)(?:, )?")


def sentence(forecast: Forecast) -> str:
    """How many more graphs, at which price; what has not varied is not among them."""
    graphs = [call for call in forecast.calls if call.what == "graph"]
    if not graphs:
        tried = sum(item.tried for item in forecast.callables)
        if forecast.stopped or not tried:
            return "Nothing that would recompile was found."
        held = any(entry.varied for entry in forecast.state)
        what = "No input" if held else "Nothing"
        closed = any(item.closed for item in forecast.callables)
        varied = " that varied so far" if forecast.fixed or forecast.state else ""
        varied = " that could be varied" if closed else varied
        text = (
            f"{what}{varied} would recompile: {few(tried, 'input')} tried, no other graph needed."
        )
        return f"{text} New values that the program holds would." if held else text
    least = "at least " if any(item.cut for item in forecast.callables) else ""
    count = few(sum(call.graphs for call in graphs), "more graph")
    cost = f", {seconds(forecast.seconds)} of compiling" if forecast.seconds else ""
    failing = sum(bool(call.error) for call in graphs)
    fails = f"; {few(failing, 'input')} would fail to compile" if failing else ""
    return f"This program can be made to compile {least}{count}{cost}{fails}."


def proof(forecast: Forecast) -> str:
    """The exposure under the remedy that leaves least; "" where none was tried or none helps."""
    best = next((one for one in forecast.remedies if one.graphs is not None), None)
    now = sum(call.graphs for call in forecast.calls if call.what == "graph")
    if best is None or best.graphs is None or best.graphs >= now:
        return ""
    left = f" ({'; '.join(best.left)})" if best.left else ""
    return f"With {_short(best.text)}: {best.graphs:,}{left}."


def _short(text: str) -> str:
    """A set of remedies with its marks counted: `mark_unbacked on 6 dimensions, ...`."""
    marks = Counter(_MARK.findall(text))
    counted = [f"{name} on {few(count, 'dimension')}" for name, count in marks.items()]
    rest = _MARK.sub("", text).strip(", ")
    return ", ".join([*counted, rest] if rest else counted)


def limit(frame: ForecastFrame) -> str:
    """A function against its recompile limit."""
    where = place(replace(frame.frame, function=continued(frame.frame)))
    text = f"{where}: {few(frame.now, 'graph')} now, {frame.more} more"
    if frame.limit is None:
        return text
    if frame.now + frame.more <= frame.limit:
        return f"{text}; its {frame.limit_name} of {frame.limit} is not reached"
    left = max(frame.limit - frame.now, 0)
    then = "such calls raise" if frame.raises else "inputs that no graph serves run eagerly"
    return f"{text}; its {frame.limit_name} of {frame.limit} is reached after {left}: then {then}"


def tried(item: ForecastCallable) -> str:
    """How far a callable was explored."""
    text = f"{few(item.tried, 'input')} tried"
    if item.served:
        text += f", {item.served:,} served"
    if item.invalid:
        text += f", {item.invalid:,} that the program itself cannot take"
    return f"{text}; time ended before the inputs did" if item.cut else text


def remarks(item: ForecastCallable) -> list[str]:
    """What is to be known of a callable beside its inputs."""
    found = [f"A call could not be made again: {text}" for text in item.unusable]
    found += [
        f"Unknown: other sizes inside of {name}. An object is passed as it came; only tensors in "
        "arguments, lists, tuples and dicts are varied."
        for name in item.closed
    ]
    return found + [f"Every further value of {name} compiles a graph." for name in item.unbounded]


def inputs_of(calls: Sequence[ForecastCall]) -> list[str]:
    """What is special about each input, and how it fails to compile if it does.

    Inputs of one title are told apart by the values that they came with.
    """
    titles = [_title(call) for call in calls]
    alike = Counter(titles)
    came = Counter(
        (name, item.source, item.value)
        for call, name in zip(calls, titles, strict=True)
        for item in call.inputs
    )
    found = []
    for call, name in zip(calls, titles, strict=True):
        text = name + "".join(
            f", {item.source} = {item.value}"
            for item in call.inputs
            if item.value and not call.repeat and came[name, item.source, item.value] < alike[name]
        )
        found.append(f"{text}  ({call.error.splitlines()[0]})" if call.error else text)
    return found


def _title(call: ForecastCall) -> str:
    if call.repeat:
        again = " and at each further call" if call.unbounded else ""
        return f"the input of call {call.call} once more{again}"
    return title(call) or "ordinary sizes, all different"


def warmup(forecast: Forecast) -> tuple[str, str]:
    """The warm-up and what a run of it showed, and the tone of that: good, bad or open."""
    warm = forecast.warmup
    if warm is None or not warm.calls or not any(call.what == "graph" for call in forecast.calls):
        return "", ""
    cost = f", {seconds(warm.seconds)} of compiling" if warm.seconds else ""
    text = f"{few(len(warm.calls), 'call')} for all of it{cost}"
    if warm.error:
        return f"{text}; when tried it ended with {warm.error}", "bad"
    if warm.left is None:
        return f"{text} (--emit warmup.py writes it and tries it)", "open"
    if warm.left:
        return f"{text}; {few(warm.left, 'input')} still compiled after it", "bad"
    return f"{text}; proved by a run: nothing compiled after it", "good"


STATE = "Held by the program, and each new value compiles another graph (not counted)"
STATE_FIXED = "Held by the program, so far always"
_STATES = 6  # values that are named of those that never varied


def state(entry: ForecastState) -> str:
    """A value that the program holds, what it has been and how often it recompiled."""
    more = f" and {few(entry.alike, 'more layer')}" if entry.alike else ""
    happened = f"; happened {few(entry.happened, 'time')}" if entry.happened else ""
    return f"{_source(entry)}{more}, so far {_listed(entry.values[-_STATES:])}{happened}"


def _source(entry: ForecastState) -> str:
    owner, captured, _ = entry.source.partition(".__closure__[")
    return f"a captured variable of {owner}" if captured else entry.source


def state_fixed(entries: Sequence[ForecastState], most: int = _STATES) -> str:
    """Those that never varied: `config.top_k (20)`; "" where there are none."""
    names = [
        f"{_source(entry)} ({entry.values[0]})"
        + (f" in {entry.alike + 1} layers" if entry.alike else "")
        for entry in entries
        if not entry.varied
    ]
    more = len(names) - most
    shown = [*names[:most], f"{more} more: --all"] if more > 0 else names
    return f"{STATE_FIXED}: {', '.join(shown)}" if shown else ""


_SHOWN = 3  # tensors that are named of those that are alike
FIXED = "Has not varied yet, and a guard fixes it (not counted; --assume counts it)"


def fixed(entry: ForecastFixed) -> str:
    """Something that has not varied yet, and the graphs that it brings when it does."""
    held = f", so far {entry.held}" if entry.held else ""
    text = f"{_named(entry)}{held}: {few(entry.graphs, 'graph')} for {_listed(entry.values)}"
    text += ", and one for every further value" if entry.unbounded else ""
    return f"{text}, {seconds(entry.seconds)}" if entry.seconds else text


def asked(entries: Sequence[ForecastFixed]) -> str:
    """Those of which it is only known that one other value compiles; "" where there are none."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for entry in entries:
        if not entry.graphs:
            groups.setdefault(entry.values, []).append(_named(entry))
    names = [f"{_some(named)} ({' or '.join(values)})" for values, named in groups.items()]
    return f"Would compile as well: {'; '.join(names)}" if names else ""


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return _listed([*names[:_SHOWN], f"{more} more"] if more > 0 else names)


def _named(entry: ForecastFixed) -> str:
    where = "" if entry.dimension is None else f".shape[{entry.dimension}]"
    return entry.source + where


def _listed(values: Sequence[str]) -> str:
    *first, last = values
    return f"{', '.join(first)} and {last}" if first else last
