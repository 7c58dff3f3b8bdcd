"""Remedies that were tried on the program: what each did to it, before and after."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING

from compilescope.tui.views.document import before_and_after
from compilescope.tui.views.table import Block, Column, Document, Table, Tone
from compilescope.tui.views.words import brief, few, seconds

if TYPE_CHECKING:
    from compilescope.tui.tried import Tried
    from compilescope.tui.views.index import Index
    from compilescope.tuning import Measures, Patch, Trial

_MARKS: dict[str, tuple[str, Tone]] = {
    "baseline": ("· as it is", ""),
    "solved": ("✓ solved", "good"),
    "better": ("↓ better", "good"),
    "no better": ("= no better", "dim"),
    "wrong": ("✗ wrong", "bad"),
    "failed": ("✗ failed", "bad"),
    "unfinished": ("… unfinished", "warn"),
    "refused": ("✗ refused", "bad"),
}
RUNNING = "… running"


def table(index: Index) -> Table:
    """The program as it is, then every trial in the order in which it was made."""
    tried = index.tried
    rows: list[Trial | str] = []
    if tried is not None:
        rows = [*([tried.baseline] if tried.baseline else []), *tried.trials]
        rows += [tried.begins or "the next one is being planned"] if tried.running else []
    return Table(
        rows,
        (
            Column("outcome", lambda row: _mark(tried, row), 12),
            Column("recompiles", _recompiles, 10, _order, right=True),
            Column("worst", lambda row: _time(row, "worst"), 9, right=True),
            Column("steady", lambda row: _time(row, "steady"), 9, right=True),
            Column("what was tried", lambda row: _what(row) + _elapsed(tried, row)),
        ),
        document=lambda row: tuple(_blocks(index, row)),
        identity=identity,
        values=_values,
        empty=_empty(tried),
        tone=lambda row: "dim" if isinstance(row, str) else _MARKS[row.outcome][1],
        fix=lambda row: _copied(tried, row),
    )


def identity(row: Trial | str) -> str:
    """What a row is known by; the same for whatever is being run."""
    return RUNNING if isinstance(row, str) else f"trial {row.number}"


def _empty(tried: Tried | None) -> str:
    if tried is not None and tried.error:
        return tried.error
    return "Press v on a cause: remedies are tried on the program, one run each."


def _mark(tried: Tried | None, row: Trial | str) -> str:
    if isinstance(row, str):
        return RUNNING
    best = tried is not None and tried.best is not None and tried.best.number == row.number
    return _MARKS[row.outcome][0] + (" *" if best else "")


def _recompiles(row: Trial | str) -> str:
    return "" if isinstance(row, str) else f"{row.measures.recompiles:,}"


def _order(row: Trial | str) -> int:
    return 0 if isinstance(row, str) else row.measures.recompiles


def _time(row: Trial | str, name: str) -> str:
    value = None if isinstance(row, str) else getattr(row.measures, name)
    return brief(value) if value is not None else ""


def _what(row: Trial | str) -> str:
    if isinstance(row, str):
        return row
    if row.outcome == "baseline":
        return "nothing"
    return row.label or ", ".join(one.text for one in row.remedies)


def _elapsed(tried: Tried | None, row: Trial | str) -> str:
    """How long what runs has run, seen each time that the row is drawn."""
    if tried is None or not tried.since or not isinstance(row, str):
        return ""
    return f"  {monotonic() - tried.since:.0f} s"


def _copied(tried: Tried | None, row: Trial | str) -> str:
    if tried is None or isinstance(row, str) or tried.best is not row:
        return ""
    patch = tried.tuning.patch if tried.tuning else None
    return patch.diff or "\n".join(patch.paste) if patch else ""


def _values(row: Trial | str) -> dict[str, str | float | None]:
    if isinstance(row, str):
        return {"kind": "running", "what": row}
    measures = row.measures
    rules = " ".join(one.id for one in row.remedies)
    return {
        "kind": row.outcome,
        "rule": rules,
        "n": measures.recompiles,
        "s": measures.worst,
        "what": _what(row),
    }


def _blocks(index: Index, row: Trial | str) -> Iterable[Block]:
    tried = index.tried
    assert tried is not None
    if isinstance(row, str):
        yield Block(f"{RUNNING}: {row}", "strong")
        yield Block("x stops the trials; what is known by then stays.", "dim")
        return
    before = tried.baseline
    yield Block(f"{_MARKS[row.outcome][0]}: {_what(row)}", "strong")
    if row.why:
        yield Block(row.why, "warn" if _MARKS[row.outcome][1] == "bad" else "")
    if before is not None:
        yield from _strips(tried, row)
        yield from _beside(before, row)
    yield from _applied(index, row)
    if tried.best is row and tried.tuning is not None and tried.tuning.patch is not None:
        yield from _patch(tried.tuning.patch)
    yield from _notes(tried)


def _strips(tried: Tried, row: Trial) -> Iterable[Block]:
    before, after = tried.calls.get(0, ()), tried.calls.get(row.number, ())
    if not before or row.number == 0 or not after:
        return
    yield Block("Calls", heading=True)
    yield from before_and_after(before, after)


def _beside(before: Trial, row: Trial) -> Iterable[Block]:
    known = before.number != row.number
    yield Block("Before and after" if known else "Measured", heading=True)
    if known:
        yield Block(f"{'':<16}{'as it is':>10}  {'with it':>10}", "dim", indent=2, code=True)
    for name, first, second in _pairs(before.measures, row.measures):
        text = f"{name:<16}{first:>10}" + (f"  {second:>10}" if known else "")
        changed = known and first != second
        yield Block(text, "strong" if changed else "dim", indent=2, code=True)


def _pairs(before: Measures, after: Measures) -> Iterable[tuple[str, str, str]]:
    for name, key in (
        ("recompiles", "recompiles"),
        ("graph breaks", "breaks"),
        ("eager calls", "eager_calls"),
        ("calls", "calls"),
    ):
        yield name, f"{getattr(before, key):,}", f"{getattr(after, key):,}"
    for name, key in (
        ("first call", "first"),
        ("steady call", "steady"),
        ("slowest call", "worst"),
        ("compiling", "compile_seconds"),
        ("whole program", "total"),
    ):
        yield name, seconds(getattr(before, key)), seconds(getattr(after, key))
    for name, key in (("memory", "rss"), ("device memory", "device_memory")):
        one, two = getattr(before, key), getattr(after, key)
        if one is not None and two is not None:
            yield name, f"{one / 1e6:,.0f} MB", f"{two / 1e6:,.0f} MB"


def _applied(index: Index, row: Trial) -> Iterable[Block]:
    for one in row.remedies:
        yield Block("Tried", heading=True)
        yield Block(one.text, "good")
        if one.price:
            yield Block(f"Price: {one.price}", "dim")
    if row.outcome != "baseline":
        yield Block(f"Outputs: {row.outputs}", "bad" if row.outputs == "differ" else "dim")
    left = [index.letters.get(name, "a new cause") for name in row.left]
    if left and row.outcome != "baseline":
        yield Block(f"Still recompiles for: {', '.join(dict.fromkeys(left))}", "warn")
    for text in row.refused:
        yield Block(f"Not applied: {text}", "warn")


def _patch(patch: Patch) -> Iterable[Block]:
    yield Block("Change of the source", heading=True)
    if patch.why:
        yield Block(patch.why, "good" if patch.verified else "warn")
    for text in patch.paste:
        yield Block(text)
    if patch.diff:
        yield Block("f shows it once more and writes it, y copies it.", "dim")
        yield from diff_blocks(patch.diff)


def diff_blocks(diff: str) -> Document:
    """A unified diff, line by line."""
    tones: dict[str, Tone] = {"+": "good", "-": "bad", "@": "dim"}
    return tuple(
        Block(line, tones.get(line[:1], "") if line[:3] not in ("+++", "---") else "dim", code=True)
        for line in diff.splitlines()
    )


def _notes(tried: Tried) -> Iterable[Block]:
    notes = tried.tuning.notes if tried.tuning else ()
    if tried.error or notes:
        yield Block("Notes", heading=True)
    for text in (*([tried.error] if tried.error else []), *notes):
        yield Block(text, "warn")


def summary(tried: Tried) -> str:
    """What came of the trials, in a line."""
    if tried.error:
        return tried.error
    made = few(len(tried.trials), "trial")
    if tried.best is None or tried.baseline is None:
        notes = tried.tuning.notes if tried.tuning else ()
        return f"{made}: {notes[0] if notes else 'no remedy helped'}"
    before, after = tried.baseline.measures.recompiles, tried.best.measures.recompiles
    return f"{made}: {few(before, 'recompile')} to {after:,}, {_what(tried.best)}"
