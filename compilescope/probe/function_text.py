"""torch's way to write a function in its messages, `'name' (path:line)`, as a frame."""

from __future__ import annotations

import re

from compilescope.model import Frame

_FUNCTION = re.compile(r"'(?P<name>[^']*)' \((?P<path>.*):(?P<line>\d+)\)")


def function_frame(text: str) -> Frame:
    """The frame that `text` names; its path is empty where the text is another."""
    match = _FUNCTION.fullmatch(text)
    if match is None:
        return Frame("", 0, text)
    return Frame(match["path"], int(match["line"]), match["name"])
