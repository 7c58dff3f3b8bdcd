"""Append-only records, a JSON object a line, and the problems that end a bench."""

from __future__ import annotations

import json
import os
import sysconfig
import traceback
from typing import Any

_LIBRARY = sysconfig.get_path("stdlib")


class Problem(Exception):  # noqa: N818  it is told to the user, who may have caused it
    """Something that keeps the bench, or this setting, from being measured."""

    def __init__(self, stage: str, text: str, *, cause: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.stage = stage
        self.fields = {"stage": stage, "text": text, "cause": cause, "hint": hint}


class Record:
    """The file that the records go to."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115  to the end

    def write(self, record: str, **fields: Any) -> None:
        """Add a line, whole."""
        self._file.write(json.dumps({"record": record, **fields}) + "\n")


def told(error: BaseException, *, own: str = os.path.dirname(__file__)) -> str:
    """An exception in one line, with the last place in the user's code that it came through."""
    text = " ".join(str(error).strip().partition("\n")[0].split())[:300]
    name = type(error).__name__
    if name == "OutOfMemoryError":
        text = text.partition(" GPU ")[0]  # what every process on the GPU holds
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((own, _LIBRARY, "<"))
        and "site-packages" not in frame.filename
    ]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{name}: {error.msg} at {error.filename}:{error.lineno}"
    place = f" at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    return f"{name}: {text}{place}" if text else f"{name}{place}"
