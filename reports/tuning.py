"""What tune found, as a table that a person can decide from: terminal, Markdown, JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from . import markdown
from .paper import blank, text_on
from .words import few, numbers, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from compilescope.tuning import Measures, Patch, Trial, Tuning

_HEAD = (
    "", "remedies", "recompiles", "worst", "steady", "p99", "first", "compile", "memory", "verdict",
)  # fmt: skip
_WIDE = 96  # columns from which there is room for p99
_MARK = re.compile(r"\b((?:maybe_)?mark_\w+)\(([^()]*)\)")
_STYLES = {"solved": "green", "better": "yellow", "baseline": "dim"}


def render_json(tuning: Tuning, /, **_options: Any) -> str:
    """The result as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(tuning), indent=2).decode() + "\n"


def render_terminal(
    tuning: Tuning, /, *, width: int = 100, color: bool = False, **_options: Any
) -> str:
    """The result for a terminal: the answer, the table, prices, the change."""
    console = blank(width, color=color, narrowest=60)
    console.print(Text(headline(tuning), style="bold"))
    console.print(_table(tuning, wide=width >= _WIDE))
    for trial in tuning.trials:
        console.print(_named(letter(trial, tuning), in_words(trial), about(trial)))
    for line in (*orders(tuning), *_agreement(tuning), *tuning.notes):
        console.print(Padding(Text(line), (0, 0, 0, 2)))
    if tuning.patch is not None:
        _patch(console, tuning.patch)
    return text_on(console)


def render_markdown(tuning: Tuning, /, **_options: Any) -> str:
    """The result for a pull request or an issue."""
    head = (*_HEAD[:-1], "price", "verdict")
    lines = [f"**{markdown.prose(headline(tuning))}**", ""]
    lines += [f"| {' | '.join(head)} |", f"|---|---|{'---:|' * (len(head) - 4)}---|---|"]
    for trial in (*tuning.trials, tuning.baseline):
        *cells, _ = _row(trial, in_words(trial), tuning.best)
        cells += ["; ".join(prices_of(trial)), verdict(trial)]
        lines.append(f"| {' | '.join(markdown.prose(cell) for cell in cells)} |")
    lines += [
        "",
        *(
            f"- {markdown.prose(line)}"
            for line in (*orders(tuning), *_agreement(tuning), *tuning.notes)
        ),
    ]
    if tuning.patch is not None and tuning.patch.diff:
        lines += ["", "```diff", tuning.patch.diff.rstrip("\n"), "```"]
    if tuning.patch is not None:
        lines += [f"- {markdown.prose(line)}" for line in tuning.patch.paste]
        lines += ["", markdown.prose(verified(tuning.patch))]
    return "\n".join(lines) + "\n"


def headline(tuning: Tuning) -> str:
    """The answer in one line."""
    before = tuning.baseline.measures.recompiles
    best = next((one for one in tuning.trials if one.number == tuning.best), None)
    if not before and not tuning.trials:
        return f"{tuning.name}: no recompiles"
    if best is None:
        return f"{tuning.name}: {few(before, 'recompile')}, and no remedy that was tried helps"
    after = best.measures.recompiles
    how = "verified" if best.outputs == "agree" else f"outputs {best.outputs}"
    patched = tuning.patch.measures if tuning.patch and tuning.patch.verified else None
    if patched is not None and patched.recompiles > after:
        how += f"; the patch alone leaves {patched.recompiles:,}"
    if best.measures.eager_calls:
        how += f"; {few(best.measures.eager_calls, 'call')} ran eagerly"
    broken = best.measures.breaks - tuning.baseline.measures.breaks
    if broken > 0:
        how += f"; {few(broken, 'more graph break')}"
    return f"{tuning.name}: {few(before, 'recompile')} to {after} ({how}): {in_words(best)}"


def _table(tuning: Tuning, *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 1))
    shown = [name for name in _HEAD if wide or name != "p99"]
    for name in shown:
        left = name in ("", "remedies", "verdict")
        table.add_column(
            name, justify="left" if left else "right", overflow="fold",
            no_wrap=name != "recompiles",
        )  # fmt: skip
    for trial in (*tuning.trials, tuning.baseline):
        style = _STYLES.get(trial.outcome, "red")
        row = dict(zip(_HEAD, _row(trial, letter(trial, tuning), tuning.best), strict=True))
        *cells, short = (row[name] for name in shown)
        table.add_row(*cells, Text(short, style=style))
    return table


def _row(trial: Trial, name: str, best: int | None) -> list[str]:
    measures = trial.measures
    at = f" at {numbers(measures.recompiled_at, 4)}" if measures.recompiled_at else ""
    mark = "*" if trial.number == best and trial.outcome != "baseline" else ""
    times = (
        measures.worst, measures.steady, measures.p99, measures.first, measures.compile_seconds,
    )  # fmt: skip
    return [
        mark,
        name,
        f"{measures.recompiles}{at}",
        *("-" if one is None else seconds(one) for one in times),
        memory(measures),
        trial.outcome,
    ]


def letter(trial: Trial, tuning: Tuning) -> str:
    """The trial's name in the table: letters by rank."""
    if trial.number == 0:
        return "as it is"
    place = [one.number for one in tuning.trials].index(trial.number)
    return chr(ord("A") + place) if place < 26 else f"A{place - 25}"


def _named(letter: str, text: str, about: str) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=2)
    grid.add_column(overflow="fold")
    grid.add_row(f" {letter}", Text(text))
    if about:
        grid.add_row("", Text(about, style="dim"))
    return grid


def about(trial: Trial) -> str:
    """What has to be known about a set beside its numbers: remarks, and its price."""
    remarks = verdict(trial).removeprefix(trial.outcome).removeprefix(", ")
    price = "; ".join(prices_of(trial))
    parts = (remarks.rstrip("."), f"price: {price}" if price else "")
    return ". ".join(part for part in parts if part)


def in_words(trial: Trial) -> str:
    """The remedies in words, marks of one kind together."""
    if trial.label:
        return trial.label
    marks: dict[str, dict[str, None]] = {}
    others: dict[str, None] = {}
    for one in trial.remedies:
        for name, arguments in _MARK.findall(one.text):
            marks.setdefault(name, {})[arguments.replace(", ", ":", 1)] = None
        rest = [part for part in _MARK.sub("", one.text).split(", ") if part]
        if rest:
            others[", ".join(rest)] = None
    said = [f"{name}({', '.join(places)})" for name, places in marks.items()]
    return ", ".join([*said, *others]) or "as it is"


def memory(measures: Measures) -> str:
    """The most that the process and the GPU held, "" where it was not measured."""
    parts = [
        f"{value / 2**20:.0f} MB{unit}"
        for value, unit in ((measures.rss, ""), (measures.device_memory, " GPU"))
        if value
    ]
    return " + ".join(parts)


def verdict(trial: Trial) -> str:
    """What a trial came to, in a few words."""
    said: list[str] = [trial.outcome]
    if trial.outcome in ("solved", "better", "no better"):
        if trial.outputs != "agree":
            said.append(f"outputs {trial.outputs}")
        if trial.measures.warm_up:
            said.append(f"after {seconds(trial.measures.warm_up)} of warm-up")
        if trial.measures.eager_calls:
            said.append(f"{few(trial.measures.eager_calls, 'call')} ran eagerly")
    if trial.why:
        said.append(trial.why)
    return ", ".join(said)


def prices_of(trial: Trial) -> list[str]:
    """What the remedies of a trial cost, each once."""
    found = list(dict.fromkeys(one.price for one in trial.remedies if one.price))
    # Beside a real price, "none" reads as if the sum were none.
    real = [one for one in found if one.partition(";")[0] != "none"]
    return real or found


def _agreement(tuning: Tuning) -> Iterator[str]:
    """What it means that outputs agree."""
    if tuning.tolerance and any(one.outputs == "agree" for one in tuning.trials):
        yield f"outputs agree within {tuning.tolerance}"


def prices(tuning: Tuning) -> Iterator[str]:
    """What each remedy of the best trial costs."""
    best = next((one for one in tuning.trials if one.number == tuning.best), None)
    for price in dict.fromkeys(one.price for one in (best.remedies if best else ()) if one.price):
        names = dict.fromkeys(one.id for one in best.remedies if one.price == price) if best else ()
        yield f"price of {', '.join(names)}: {price}"


def orders(tuning: Tuning) -> Iterator[str]:
    """What other orders of the calls came to, where they were tried."""
    if tuning.orders is not None:
        least, most = tuning.orders
        range_ = "" if least == most else f"{least} to "
        yield f"in other orders of the calls the best has {range_}{few(most, 'recompile')}"


def _patch(console: Console, patch: Patch) -> None:
    console.print()
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in patch.diff.splitlines():
        console.print(Text(line, style=styles.get(line[:1], "")), soft_wrap=True)
    for line in patch.paste:
        console.print(Padding(Text(line), (0, 0, 0, 2)))
    console.print(Text(verified(patch), style="bold"))


def verified(patch: Patch) -> str:
    """Whether a run of the changed source proved it, and whether it was written."""
    if patch.written:
        return "Written: " + patch.why
    return patch.why or "The change was not run."
