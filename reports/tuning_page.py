"""What tune found as one HTML file: the trials, best first, and the change to make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.model import Session

from .markup import embedded, written
from .page import distinct, identity
from .redact import Redactor
from .tuning import headline, in_words, letter, memory, orders, prices, verdict, verified
from .visible import visible
from .words import few, numbers, seconds

if TYPE_CHECKING:
    from compilescope.tuning import Patch, Trial, Tuning

GLYPHS = {
    "baseline": "·",
    "solved": "✓",
    "better": "↓",
    "no better": "-",
    "worse": "↑",
    "wrong": "✗",
    "failed": "✗",
    "unfinished": "…",
    "refused": "✗",
}


@dataclass(frozen=True)
class Bar:
    """A measure of a trial beside the greatest among all trials."""

    value: float | None
    text: str
    share: float  # percent of the greatest


@dataclass(frozen=True)
class Row:
    """A trial as the table shows it."""

    id: str
    trial: Trial
    letter: str
    words: str
    best: bool
    glyph: str
    verdict: str
    ticks: str  # SVG path: a mark at each call that recompiled
    at: str
    worst: Bar
    steady: Bar
    memory: str


def render(
    tuning: Tuning,
    /,
    *,
    session_json: bytes | None = None,
    source: bool = True,
    **_options: Any,
) -> str:
    """The page.

    Args:
        tuning: What to show.
        session_json: The session of the run without remedies, to be embedded.
        source: False leaves out source, paths and command lines, the change of the source too.
    """
    if not source:
        tuning, session_json = _without_source(tuning, session_json)
    shown = visible(tuning)
    return written(
        "tuning.html",
        scripts=("early.js", "theme.js", "copy.js", "sort.js"),
        t=shown,
        rows=_rows(shown),
        headline=headline(shown),
        changes=_changes(shown),
        remarks=_remarks(shown),
        proof=verified(shown.patch) if shown.patch else "",
        lines=_lines(shown.patch),
        source=source,
        session=embedded(session_json),
    )


def _without_source(tuning: Tuning, session_json: bytes | None) -> tuple[Tuning, bytes | None]:
    session = msgspec.json.decode(session_json, type=Session) if session_json else None
    redactor = Redactor(tuning, *([session] if session else []))
    shown = msgspec.structs.replace(redactor.redact(tuning), patch=None)
    return shown, msgspec.json.encode(redactor.redact(session)) if session else None


def _rows(tuning: Tuning) -> tuple[Row, ...]:
    trials = (*tuning.trials, tuning.baseline)
    worst = max((one.measures.worst or 0.0 for one in trials), default=0.0)
    steady = max((one.measures.steady or 0.0 for one in trials), default=0.0)
    names = distinct(f"trial-{identity(in_words(one))}" for one in trials)
    return tuple(
        Row(
            id=name,
            trial=one,
            letter=letter(one, tuning),
            words=in_words(one),
            best=one.number == tuning.best and one.outcome != "baseline",
            glyph=GLYPHS[one.outcome],
            verdict=verdict(one),
            ticks="".join(f"M{call} 0h1v1h-1z" for call in one.measures.recompiled_at),
            at=numbers(one.measures.recompiled_at, 4),
            worst=_bar(one.measures.worst, worst),
            steady=_bar(one.measures.steady, steady),
            memory=memory(one.measures),
        )
        for name, one in zip(names, trials, strict=True)
    )


def _bar(value: float | None, most: float) -> Bar:
    return Bar(value, seconds(value), round(100 * value / most, 1) if value and most else 0.0)


def _remarks(tuning: Tuning) -> tuple[str, ...]:
    said = [] if tuning.finished else ["not finished: these are the trials so far"]
    said += [*prices(tuning), *orders(tuning), *tuning.notes]
    if tuning.jobs > 1:
        said.append(f"{tuning.jobs} runs went on side by side: timings compare less well")
    if tuning.tolerance and any(one.outputs == "agree" for one in tuning.trials):
        said.append(f"outputs agree within {tuning.tolerance}")
    return tuple(said)


def _changes(tuning: Tuning) -> tuple[tuple[str, str, str], ...]:
    """Before and after of the best trial: name, before, after; none where nothing helps."""
    best = next((one for one in tuning.trials if one.number == tuning.best), None)
    if best is None:
        return ()
    old, new = tuning.baseline.measures, best.measures
    found = [
        ("recompiles", f"{old.recompiles:,}", f"{new.recompiles:,}"),
        ("worst call after the first", seconds(old.worst), seconds(new.worst)),
        ("steady call", seconds(old.steady), seconds(new.steady)),
        ("compiling", seconds(old.compile_seconds), seconds(new.compile_seconds)),
    ]
    if new.warm_up:
        found.append(("warm-up before the first call", "none", seconds(new.warm_up)))
    if new.eager_calls or old.eager_calls:
        found.append(("ran eagerly", few(old.eager_calls, "call"), few(new.eager_calls, "call")))
    return tuple(found)


def _lines(patch: Patch | None) -> tuple[tuple[str, str], ...]:
    """The lines of the change, each with its class of display."""
    kinds = {"+": "add", "-": "cut", "@": "hunk"}
    text = patch.diff if patch else ""
    return tuple((kinds.get(line[:1], ""), line) for line in text.splitlines())
