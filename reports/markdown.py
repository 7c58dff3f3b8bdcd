"""The diagnosis in short, for a pull request or an issue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .device import panels
from .visible import visible
from .words import companions, ending, few, gap, numbers, seconds, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilescope.diagnosis import Break, Cause, Diagnosis, Remedy
    from compilescope.model import Frame

    from .device import Entry

_MOST = 10
_LONGEST = 600
# Outside of code: markup, HTML, mentions, references to issues, tables.
_MARKUP = re.compile(r"([\\*_\[\]<>|~])|([@#])(?=\w)")


def render(diagnosis: Diagnosis, /, *, everything: bool = False, **_options: Any) -> str:
    """Verdict, causes by the seconds they cost, breaks, the first fix of each.

    Args:
        diagnosis: What to show.
        everything: Whether to show every cause, break and remedy, and not only the first ones.
    """
    return "\n".join(_lines(visible(diagnosis), everything=everything)) + "\n"


def prose(text: str) -> str:
    """`text` with its `code` kept as code and all else kept from being markup."""
    clipped = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    line = " ".join(clipped.split())
    parts = re.split(r"`([^`]*)`", line)
    return "".join(
        code(part) if index % 2 else _escaped(part or " " * (0 < index < len(parts) - 1))
        for index, part in enumerate(parts)
    )


def code(text: str) -> str:
    """`text` as a code span, whatever backticks are in it."""
    line = " ".join(text.split())
    if not line:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if "`" in line[:1] + line[-1:] else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _lines(found: Diagnosis, *, everything: bool) -> Iterator[str]:
    most = None if everything else _MOST
    yield f"**{prose(found.verdict)}**"
    for text in (ending(found), found.recovery):
        if text:
            yield f"\n{prose(text)}"
    for fallback in found.fallbacks:
        yield f"\n**Runs eagerly:** {_place(fallback.frame)}. {prose(fallback.why)}"
    if found.causes:
        yield "\n#### Causes of recompiles, by the time they cost\n"
        for cause in found.causes[:most]:
            yield from _cause(cause, everything=everything)
        yield from _more(found.causes, most)
    if found.graph_breaks:
        yield "\n#### Graph breaks\n"
        for item in found.graph_breaks[:most]:
            yield from _break(item, everything=everything)
        yield from _more(found.graph_breaks, most)
    for error in dict.fromkeys(found.errors):
        yield f"\n{_fenced(error, 'text')}"
    yield from _panels(found, most, everything=everything)
    for missing in found.incomplete:
        yield f"\nIncomplete: {prose(gap(missing))}"
    yield f"\n<sub>{_escaped(_run(found))}</sub>"


def _cause(cause: Cause, *, everything: bool) -> Iterator[str]:
    cost = seconds(cause.seconds_lost) if cause.seconds_lost else "cost unknown"
    yield f"- **{cost}**, {few(cause.times, 'recompile')}, {_place(cause.frame)}"
    calls = f" (calls {numbers(cause.calls)})" if len(cause.calls) > 1 else ""
    yield f"  <br>{prose(cause.why)}{calls}"
    for line in companions(cause, None if everything else 2):
        yield f"  <br>{prose(line)}"
    yield from _remedies(cause.remedies, everything=everything)


def _break(item: Break, *, everything: bool) -> Iterator[str]:
    effect = "the whole function runs eagerly" if item.whole_frame else "splits the graph"
    yield f"- **{_escaped(item.gb_id or item.type)}**, {effect}, {_place(item.frame)}"
    yield f"  <br>{prose(item.why)}"
    yield from _remedies(item.remedies, everything=everything)


def _panels(found: Diagnosis, most: int | None, *, everything: bool) -> Iterator[str]:
    for panel in panels(found, everything=everything):
        yield f"\n#### {panel.heading}\n"
        if panel.said:
            yield prose(panel.said) + ("\n" if panel.entries else "")
        for entry in panel.entries[:most]:
            yield from _entry(entry, everything=everything)
        yield from _more(panel.entries, most)


def _entry(entry: Entry, *, everything: bool) -> Iterator[str]:
    parts = [f"**{_escaped(entry.title)}**", _escaped(entry.extra)]
    parts += [_place(entry.frame)] if entry.frame else []
    yield f"- {', '.join(part for part in parts if part)}"
    for text in entry.texts:
        yield f"  <br>{prose(text)}"
    yield from _remedies(entry.remedies, everything=everything)


def _remedies(remedies: Sequence[Remedy], *, everything: bool) -> Iterator[str]:
    for remedy in remedies if everything else remedies[:1]:
        price = f"; price: {prose(remedy.price)}" if remedy.price else ""
        unsafe = "**unsafe**, " if remedy.unsafe else ""
        yield f"  <br>Fix: {prose(remedy.text)} ({unsafe}{_escaped(remedy.proof)}{price})"
        if remedy.snippet:
            yield "\n" + _indented(_fenced(remedy.snippet, "python")) + "\n"


def _more(items: Sequence[object], most: int | None) -> Iterator[str]:
    if most is not None and len(items) > most:
        yield f"\nand {len(items) - most:,} more"


def _place(frame: Frame) -> str:
    at = code(f"{short(frame.path)}:{frame.line}")
    return f"{at} in {code(frame.function)}" if frame.function else at


def _run(found: Diagnosis) -> str:
    environment = found.environment
    parts = [found.name, few(found.counts.calls, "call") if found.counts.calls else ""]
    parts += [few(found.counts.compiles, "graph")]
    parts += [f"torch {environment.torch}" if environment.torch else "", *environment.devices[:1]]
    return " · ".join(part for part in parts if part)


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.splitlines())


def _escaped(text: str) -> str:
    line = re.sub(r"\s+", " ", text)
    # An invisible joiner after the sign keeps GitHub from calling somebody.
    return _MARKUP.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\u2060", line)
