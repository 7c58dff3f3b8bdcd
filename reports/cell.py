"""The diagnosis as the output of a notebook cell: a fragment of HTML, in the colours of the page.

Notebooks drop scripts and style sheets of untrusted output, so all style is inline, and it takes
its colours from the text around it: dark and light themes both read well.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from .excerpt import excerpt
from .visible import visible
from .words import ending, few, gap, numbers, place, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from compilescope.diagnosis import Break, Cause, Diagnosis, Remedy
    from compilescope.model import Frame

_BOX = "border-left:3px solid {};padding:.2em 0 .2em .9em;margin:.4em 0;line-height:1.45"
_CODE = "background:rgba(127,127,127,.15);padding:0 .25em;border-radius:3px;color:inherit"
_PRE = (
    "background:rgba(127,127,127,.12);color:inherit;padding:.5em .7em;margin:.4em 0;overflow:auto"
)
_DIM = "opacity:.75"
_RED, _AMBER, _GREEN = "#d1495b", "#d98e04", "#2e9e6b"


def render(diagnosis: Diagnosis, /, **_options: Any) -> str:
    """Verdict, counts, and a block for each cause and break that opens on a click."""
    return "\n".join(_lines(visible(diagnosis))) + "\n"


def _lines(found: Diagnosis) -> Iterator[str]:
    color = _GREEN if found.status == "clean" else _RED if found.causes else _AMBER
    yield f'<div class="compilescope" style="{_BOX.format(color)}">'
    yield f"<div><strong>{_prose(found.verdict)}</strong></div>"
    yield f'<div style="{_DIM}">{escape(_counts(found))}</div>'
    for text in (ending(found), found.recovery):
        if text:
            yield f"<div>{_prose(text)}</div>"
    for fallback in found.fallbacks:
        head = f"<b>runs eagerly</b> · {_place(fallback.frame)}"
        yield _block(head, [_excerpt(found, fallback.frame), _said(fallback.why)], is_open=True)
    for index, cause in enumerate(found.causes):
        yield _block(_cause_head(cause), _cause(found, cause), is_open=index == 0)
    for index, item in enumerate(found.graph_breaks):
        is_open = index == 0 and not found.causes
        yield _block(_break_head(item), _break(found, item), is_open=is_open)
    for error in dict.fromkeys(found.errors):
        yield f'<pre style="{_PRE}">{escape(error)}</pre>'
    for missing in found.incomplete:
        yield f'<div style="{_DIM}">incomplete: {escape(gap(missing))}</div>'
    yield "</div>"


def _counts(found: Diagnosis) -> str:
    counts = found.counts
    parts = [few(counts.calls, "call"), few(counts.compiles, "graph")]
    parts += [few(counts.recompiles, "recompile"), few(counts.graph_breaks, "graph break")]
    if found.seconds.compiling:
        parts.append(f"{seconds(found.seconds.compiling)} of compiling")
    if found.environment.torch:
        parts.append(f"torch {found.environment.torch}")
    return " · ".join(parts)


def _block(head: str, parts: Iterable[str], *, is_open: bool) -> str:
    body = "".join(parts)
    opened = " open" if is_open else ""
    return (
        f'<details{opened} style="margin:.5em 0"><summary style="cursor:pointer">{head}</summary>'
        f'<div style="padding-left:1.1em">{body}</div></details>'
    )


def _cause_head(cause: Cause) -> str:
    cost = seconds(cause.seconds_lost) if cause.seconds_lost else "cost unknown"
    return f"<b>{escape(cost)}</b> · {few(cause.times, 'recompile')} · {_place(cause.frame)}"


def _cause(found: Diagnosis, cause: Cause) -> Iterator[str]:
    yield _excerpt(found, cause.frame, cause.source)
    yield _said(cause.why)
    for line in cause.also:
        yield _said(f"Also: {line}.")
    if cause.calls:
        which = "call" if len(cause.calls) == 1 else "calls"
        yield f'<div style="{_DIM}">{which} {numbers(cause.calls)}</div>'
    yield _fix(cause.remedies)


def _break_head(item: Break) -> str:
    what = "the whole function runs eagerly" if item.whole_frame else "splits the graph"
    name = f"graph break {item.gb_id}".rstrip()
    return f"<b>{escape(name)}</b> · {what} · {_place(item.frame)}"


def _break(found: Diagnosis, item: Break) -> Iterator[str]:
    yield _excerpt(found, item.frame)
    yield _said(item.why)
    yield _fix(item.remedies)


def _fix(remedies: Sequence[Remedy]) -> str:
    if not remedies:
        return ""
    first, *others = remedies
    snippet = f'<pre style="{_PRE}">{escape(first.snippet)}</pre>' if first.snippet else ""
    price = f'<div style="{_DIM}">price: {_prose(first.price)}</div>' if first.price else ""
    names = ", ".join(escape(item.id) for item in others)
    rest = f'<div style="{_DIM}">else: {names}</div>' if names else ""
    return (
        f"<div><b>fix:</b> {_prose(first.text)} ({escape(first.proof)})</div>{snippet}{price}{rest}"
    )


def _excerpt(found: Diagnosis, frame: Frame, expression: str = "") -> str:
    lines = excerpt(found.sources, frame, expression, around=1)
    if not lines:
        return ""
    shown = []
    for line in lines:
        text = escape(f"{line.number:>5} | {line.text}")
        shown.append(f"<b>{text}</b>" if line.here else f'<span style="{_DIM}">{text}</span>')
        if line.carets:
            shown.append(f"{'':>5} | {line.carets}")
    return f'<pre style="{_PRE}">' + "\n".join(shown) + "</pre>"


def _place(frame: Frame) -> str:
    return f'<code style="{_CODE}">{escape(place(frame))}</code>'


def _said(text: str) -> str:
    return f'<div style="margin:.3em 0">{_prose(text)}</div>'


def _prose(text: str) -> str:
    parts = re.split(r"`([^`]*)`", text)
    return "".join(
        f'<code style="{_CODE}">{escape(part)}</code>' if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )
