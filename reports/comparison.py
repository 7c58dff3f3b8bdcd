"""Two runs side by side, for a terminal, a pull request or a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from . import markdown
from .paper import blank, text_on
from .visible import visible
from .words import few, seconds, short

if TYPE_CHECKING:
    from rich.console import Console

    from compilescope.comparison import Comparison, Item, Total

Form = Literal["terminal", "markdown", "json"]

_GLYPHS = {"gone": "-", "smaller": "↓", "same": "=", "larger": "↑", "new": "+"}
_STYLES = {"gone": "green", "smaller": "green", "larger": "red", "new": "red"}
_VERDICTS = {"better": "bold green", "worse": "bold red", "mixed": "bold yellow", "same": "bold"}


def render(
    comparison: Comparison, /, *, form: Form = "terminal", width: int = 80, color: bool = False
) -> str:
    """The comparison as text; `width` and `color` are for a terminal."""
    if form == "terminal":
        return render_terminal(comparison, width=width, color=color)
    return render_markdown(comparison) if form == "markdown" else render_json(comparison)


def render_json(comparison: Comparison, /, **_options: Any) -> str:
    """The comparison as indented JSON; `schema/comparison-v1.json` describes it."""
    return msgspec.json.format(msgspec.json.encode(comparison), indent=2).decode() + "\n"


def render_markdown(comparison: Comparison, /, **_options: Any) -> str:
    """The comparison for a pull request."""
    found = visible(comparison)
    lines = [f"**{markdown.prose(found.verdict)}**", ""]
    lines += [f"Caution: {markdown.prose(caveat)}  " for caveat in found.caveats]
    lines += ["", "| | before | after | change |", "|---|---:|---:|---:|"]
    lines += [
        f"| {total.name} | {' | '.join(figures(total))} | {difference(total)} |"
        for total in _shown(found)
    ]
    changed = [item for item in found.items if item.change != "same"]
    lines += ["", *map(_markdown_item, changed)]
    same = len(found.items) - len(changed)
    if same:
        lines.append(f"- {few(same, 'cause or break', 'causes and breaks')} as before")
    lines += ["", f"<sub>{markdown.prose(found.before)} → {markdown.prose(found.after)}</sub>"]
    return "\n".join(lines) + "\n"


def render_terminal(
    comparison: Comparison, /, *, width: int = 80, color: bool = False, **_options: Any
) -> str:
    """The comparison for a terminal, with escape codes where `color` is wanted."""
    found = visible(comparison)
    console = blank(width, color=color)
    console.print(Text(f"{found.before} → {found.after}", style="dim"))
    console.print(Text(found.verdict, style=_VERDICTS[found.status]))
    for caveat in found.caveats:
        console.print(Text(f"caution: {caveat}", style="yellow"))
    console.print()
    console.print(_totals(found))
    for item in found.items:
        _item(console, item)
    return text_on(console)


def _shown(found: Comparison) -> list[Total]:
    return [total for total in found.totals if total.before or total.after]


def _totals(found: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("", "before", "after", "change"):
        table.add_column(name, justify="right" if name else "left", header_style="dim")
    for total in _shown(found):
        table.add_row(total.name, *figures(total), difference(total))
    return table


def _item(console: Console, item: Item) -> None:
    console.print()
    line = Text(f"{_GLYPHS[item.change]}  {item.change}", style=_STYLES.get(item.change, ""))
    line.append(f"  {item.what}  {_times(item)}  ")
    line.append(f"{short(item.frame.path)}:{item.frame.line}", style="cyan")
    line.append(f" in {item.frame.function}" if item.frame.function else "")
    console.print(line, overflow="fold")
    if item.change != "same":
        console.print(Padding(Text(item.why), (0, 0, 0, 3)))


def _markdown_item(item: Item) -> str:
    place = markdown.code(f"{short(item.frame.path)}:{item.frame.line}")
    name = f" in {markdown.code(item.frame.function)}" if item.frame.function else ""
    return (
        f"- **{item.change}**: {item.what}, {_times(item)}, {place}{name}"
        f"\n  <br>{markdown.prose(item.why)}"
    )


def _times(item: Item) -> str:
    before, after = item.times
    cost = ""
    if any(item.seconds):
        cost = f", {seconds(item.seconds[0])} → {seconds(item.seconds[1])}"
    return f"{before:,} → {after:,}{cost}"


def figures(total: Total) -> tuple[str, str]:
    """Both runs' numbers, with their unit."""
    return _number(total.before, total.unit), _number(total.after, total.unit)


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    return seconds(value) if unit == "s" else f"{value:,.0f}"


def difference(total: Total) -> str:
    """The change, with its share; an equals sign where there is none."""
    if total.before is None or total.after is None:
        return "unknown"
    change = total.after - total.before
    if not change:
        return "="
    sign = "+" if change > 0 else "-"
    share = f" ({change / total.before:+.0%})" if total.before else ""
    return f"{sign}{_number(abs(change), total.unit)}{share}"
