"""What every report says in the same words: letters of causes, places, counts, names of states."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.diagnosis import Cause, Diagnosis
    from compilescope.model import Frame, Gap

_INSTALLED = re.compile(r".*[/\\](?:site|dist)-packages[/\\](?=.)")
STATUS = {
    "compiled": ("✓", "compiled"),
    "broken": ("/", "split by graph breaks"),
    "eager": ("!", "runs eagerly"),
    "failed": ("✗", "failed to compile"),
    "skipped": ("-", "not compiled"),
    "empty": ("·", "traced, no graph of its own"),
}

# The kinds of notices and of what stands in the way of CUDA graphs, for people.
NOTICES = {
    "perf_hint": "Performance hints",
    "cudagraph_skip": "CUDA graphs skipped",
    "cudagraph": "CUDA graphs",
    "tf32": "Precision of matrix products",
    "skip": "Left to Python",
    "deprecated": "Deprecated",
}
PROBLEMS = {
    "skipped": "Not recorded",
    "rerecorded": "Recorded again",
    "given_up": "Given up",
    "many_sizes": "One recording for each size",
    "pending_backward": "Waits for a backward pass",
    "overwritten": "Output read too late",
    "copied": "Copied at each call",
    "recording_failed": "Error while recording",
}
CUDA_GLYPHS = {"recorded": "✓", "partly": "/", "skipped": "!", "off": "-", "failed": "✗"}


def letters(diagnosis: Diagnosis) -> dict[str, str]:
    """The letter of each cause, by its id: A to Z, then AA, AB, ..."""
    return {cause.id: _letter(index) for index, cause in enumerate(diagnosis.causes)}


def short(path: str) -> str:
    """`path` from here, from home or from where packages are installed."""
    here = os.getcwd() + os.sep
    home = os.path.expanduser("~") + os.sep
    if path.startswith(here):
        return path[len(here) :]
    if installed := _INSTALLED.match(path):
        return path[installed.end() :]
    return "~/" + path[len(home) :] if path.startswith(home) else path


def place(frame: Frame) -> str:
    """`path:line in function`, as far as it is known."""
    at = f"{short(frame.path)}:{frame.line}" if frame.line else short(frame.path)
    return f"{at} in {frame.function}" if frame.function else at


def companions(cause: Cause, most: int | None = 2) -> tuple[str, ...]:
    """What changed beside a cause, a sentence each, the last on how many are left out."""
    shown = [f"Also: {text}." for text in cause.also[:most]]
    more = len(cause.also) - len(shown)
    return (*shown, f"Also: {few(more, 'other value')} at the same calls.") if more else (*shown,)


def continued(frame: Frame) -> str:
    """The function of `frame` as its author wrote it, with where it continues after a break."""
    from compilescope.diagnose.functions import continues_at, written

    line = continues_at(frame)
    return written(frame).function + (f" after the break at line {line}" if line else "")


def few(count: int, one: str, many: str = "") -> str:
    """The count with its noun: `1 call`, `1,234 calls`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def numbers(calls: Sequence[int], most: int = 8) -> str:
    """The first calls by number, and how many more there are."""
    shown = ", ".join(str(call) for call in calls[:most])
    more = len(calls) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def ending(diagnosis: Diagnosis) -> str:
    """How the program ended, as a sentence; "" where it ended well or nothing is known."""
    ended = diagnosis.ended
    if not ended or ended == "exited with code 0":
        return ""
    if ended.startswith(("killed", "interrupted")):
        return f"The program was {ended}."
    return f"The program {'is ' if ended.startswith('still') else ''}{ended}."


def seconds(value: float | None) -> str:
    """A duration for people; "unknown" where there is none."""
    from compilescope.diagnose.verdict import duration

    if value is None:
        return "unknown"
    return duration(value)


def gap(item: Gap) -> str:
    """What is missing, and how much of it."""
    times = f" ({item.count:,} times)" if item.count > 1 else ""
    share = f" ({item.share:.1%})" if item.share is not None else ""
    detail = f": {item.detail}" if item.detail else ""
    return f"{item.what}{times}{share}{detail}"


def find(code: str, expression: str) -> tuple[int, int]:
    """Start and length of `expression`, or else of its last name, in `code`; 0, 0 if nowhere."""
    for candidate in (expression, expression.rpartition(".")[2]):
        found = re.search(rf"(?<!\w){re.escape(candidate)}(?!\w)", code) if candidate else None
        if found:
            return found.start(), len(candidate)
    return 0, 0


def _letter(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
