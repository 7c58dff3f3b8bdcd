"""What the formats for people share: the mark of a fixable finding and the closing lines."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from compilescope.lint.formats import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Style

if TYPE_CHECKING:
    from compilescope.lint.result import LintResult
    from compilescope.model import Finding


def marker(finding: Finding, style: Style) -> str:
    """`[*] ` where `--fix` as given would correct the finding."""
    made = finding.fix == "safe" or (finding.fix == "unsafe" and style.unsafe)
    return f"[{style.paint('*', CYAN)}] " if made else ""


def place(finding: Finding) -> str:
    """Path, line and column, as editors and terminals take them."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{finding.path}:{cell}{finding.line}:{finding.column}"


def cost(finding: Finding) -> str:
    """What a run says about the finding; "" where none was joined."""
    if finding.times is None:
        return ""
    if not finding.times:
        return "not met in the run"
    return f"seen {seen(finding.times, finding.seconds or 0.0)}"


def seen(times: int, seconds: float) -> str:
    """How often, and how long it took."""
    often = "once" if times == 1 else f"{times} times"
    return f"{often}, {duration(seconds)}" if seconds else often


def duration(seconds: float) -> str:
    """Seconds for people: two or three figures."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def count(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(result: LintResult, style: Style) -> str:
    """The closing lines."""
    out = [*_missed(result, style)]
    if result.fixed:
        out.append(f"Fixed {count(sum(result.fixed.values()), 'finding')}.")
    if result.findings:
        out.append(style.paint(_found(result), BOLD))
        out += _fixable(result, style)
    else:
        out.append(style.paint("All checks passed!", GREEN) if result.files else "")
    if result.hidden:
        out.append(
            style.paint(f"{count(result.hidden, 'finding')} of the baseline not shown.", DIM)
        )
    if result.gone:
        noun = "entry" if result.gone == 1 else "entries"
        text = f"{result.gone} {noun} of the baseline matched nothing: `--update-baseline`."
        out.append(style.paint(text, DIM))
    return "".join(f"{line.rstrip()}\n" for line in out if line)


def _found(result: LintResult) -> str:
    number, files = len(result.findings), len({finding.path for finding in result.findings})
    lost = sum(finding.seconds or 0.0 for finding in result.findings)
    text = f"Found {count(number, 'finding')}"
    if files > 1:
        text += f" in {files} files"
    return f"{text} ({duration(lost)} lost in the run)." if lost else f"{text}."


def _fixable(result: LintResult, style: Style) -> list[str]:
    safe, unsafe = (len(result.fixable(unsafe=flag)) for flag in (False, True))
    star = f"[{style.paint('*', CYAN)}]"
    if style.unsafe and safe + unsafe:
        return [f"{star} {safe + unsafe} fixable with `--fix --unsafe-fixes`."]
    more = f"{unsafe} more with `--unsafe-fixes`"
    if safe:
        return [f"{star} {safe} fixable with `--fix`{f' ({more})' if unsafe else ''}."]
    return [f"No safe fixes; {unsafe} with `--fix --unsafe-fixes`."] if unsafe else []


def _missed(result: LintResult, style: Style) -> list[str]:
    if not result.joined:
        return []
    out = []
    idle = sum(finding.times == 0 for finding in result.findings)
    if idle:
        out.append(f"{count(idle, 'finding')} not met in {result.joined}.")
    if not result.missed:
        return out
    out.append(style.paint("Met in the run, not seen in the source:", BOLD))
    for met in result.missed:
        where = style.paint(f" in {met.function}", DIM) if met.function else ""
        price = style.paint(seen(met.times, met.seconds), BOLD, YELLOW)
        out.append(f"  {met.path}:{met.line}{where}  {price}")
        out += textwrap.wrap(met.what, style.width, initial_indent="    ", subsequent_indent="    ")
    return [*out, " "]


def statistics(result: LintResult, style: Style) -> str:
    """One line a code, most frequent first."""
    counts = Counter(finding.code for finding in result.findings)
    fixable = {f.code for f in result.findings if marker(f, style)}
    names = {finding.code: finding.name for finding in result.findings}
    width = max((len(str(number)) for number in counts.values()), default=1)
    lines = []
    for code, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        star = f"[{style.paint('*', CYAN)}] " if code in fixable else "[ ] " if fixable else ""
        lines.append(f"{number:>{width}}  {style.paint(code, BOLD, RED)}  {star}{names[code]}\n")
    return "".join(lines)


def statistics_json(result: LintResult) -> str:
    """The same as a list of objects."""
    counts = Counter((finding.code, finding.name) for finding in result.findings)
    fixable = {finding.code for finding in result.findings if finding.fix}
    rows = [
        {"code": code, "name": name, "count": number, "fixable": code in fixable}
        for (code, name), number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n"
