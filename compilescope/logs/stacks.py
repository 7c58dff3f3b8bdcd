"""Python stacks as logs print them, and which of their frames are the user's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compilescope.model import Frame
from compilescope.paths import own_frame

__all__ = ["FRAME", "own_frame", "read_stack", "written_name"]

FRAME = re.compile(
    r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,9})(?:, in (?P<function>.+?))?\s*$'
)
_CARETS = re.compile(r"^[\s~^]*$")
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_\d+$")


def read_stack(lines: Iterable[str]) -> tuple[Frame, ...]:
    """The frames in `lines`, outermost first; lines between them are their code."""
    frames: list[Frame] = []
    wants_code = False
    for line in lines:
        if found := FRAME.match(line):
            frames.append(
                Frame(found["path"], int(found["line"]), written_name(found["function"] or ""))
            )
            wants_code = True
        elif wants_code and not _CARETS.match(line):
            last = frames[-1]
            frames[-1] = Frame(last.path, last.line, last.function, line.strip())
            wants_code = False
    return tuple(frames)


def written_name(function: str) -> str:
    """`function` without Dynamo's name for the rest of a function after a graph break."""
    found = _RESUMED.match(function)
    return found[1] if found else function
