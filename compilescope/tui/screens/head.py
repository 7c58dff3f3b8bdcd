"""What stands above the views: the run, its verdict, what could be got back, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tui.views.notices import gap
from compilescope.tui.views.words import STATUS, few, printable

_ENDING = 90  # letters of how a program ended; the error itself is among the causes
YET = "Nothing is compiled yet."

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.tui.live import Live


def title(found: Diagnosis, live: Live | None, *, paused: bool) -> str:
    """The run in one line, its state first."""
    running = live is not None and live.is_running()
    waiting = running and found.status == "nothing"
    parts = [found.name] if waiting else [STATUS[found.status], found.name]
    if running:
        parts.insert(0, "❚❚ paused" if paused else "● live")
    counts = found.counts
    parts += [few(counts.calls, "call")] if counts.calls else []
    parts.append(few(counts.compiles, "graph"))
    parts += [f"torch {found.environment.torch}"] if found.environment.torch else []
    return printable(" · ".join(part for part in parts if part))


def verdict(found: Diagnosis, *, running: bool) -> str:
    """The verdict, and before it how the program ended where it did not end well."""
    if running and found.status == "nothing":
        return YET
    ended = found.ended
    if not ended or ended == "exited with code 0" or ended.startswith("still"):
        return printable(found.verdict.replace("`", ""))
    first = ended if ended.startswith("failed") else f"was {ended}"
    if len(first) > _ENDING:
        first = f"{first[:_ENDING]}…"
    stop = "" if first.endswith("…") else "."
    return printable(f"The program {first}{stop} {found.verdict}".replace("`", ""))


def second(found: Diagnosis, *, running: bool) -> tuple[str, bool]:
    """The line below the verdict, and whether a low terminal may leave it out."""
    if running and found.status == "nothing":
        return "", True  # what a program that has just begun lacks is no gap
    lines = []
    if found.incomplete:
        more = len(found.incomplete) - 1
        others = f" (and {few(more, 'more gap')}: 6)" if more else ""
        lines.append(f"incomplete: {gap(found.incomplete[0])}{others}")
    if found.recovery:
        lines.append(found.recovery)
    return printable("\n".join(lines)), not found.incomplete


def first_view(found: Diagnosis) -> str:
    """The view that has something to say."""
    problems = (found.causes, found.fallbacks, found.graph_breaks, found.errors)
    return "7" if found.findings and not any(problems) else "1"
