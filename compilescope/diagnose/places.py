"""The user's line that a guard failure is about, where the guard itself names none of theirs."""

from __future__ import annotations

import re

from msgspec.structs import replace

from compilescope.model import Frame, GuardFailure, Recompiled, Session, Symbol
from compilescope.paths import is_library, may_be_torch

_WHOLE = re.compile(r"[/\\]|\w:|<ipython-input")
_LOCAL = re.compile(r"\bL\['(\w+)'\]")


class Places:
    """Where each symbolic size was first used, and which paths are the user's own."""

    def __init__(self, session: Session) -> None:
        self._born: dict[tuple[int, str, str], Frame] = {}
        self._own: set[str] = set()
        for event in session.events:
            if isinstance(event, Symbol) and event.frame and event.source:
                key = (event.process, event.compile_id, _LOCAL.sub(r"\1", event.source))
                self._born.setdefault(key, event.frame)
            frame = getattr(event, "frame", None)
            if frame is not None and _WHOLE.match(frame.path) and not is_library(frame.path):
                self._own.add(frame.path)

    def own(self, frame: Frame | None) -> Frame | None:
        """`frame` under its whole path if it is in the user's code, else None."""
        if frame is None or is_library(frame.path):
            return None
        if _WHOLE.match(frame.path):
            return frame
        # PyTorch cuts paths in comments; what is left of a library's path looks like a user's.
        name = re.split(r"[/\\]", frame.path)[-1]
        known = [path for path in self._own if re.split(r"[/\\]", path)[-1] == name]
        fitting = [path for path in known if path.endswith(frame.path)]
        if not fitting and not may_be_torch(frame.path):
            fitting = known
        return replace(frame, path=fitting[0]) if len(fitting) == 1 else None

    def first_use(self, event: Recompiled, failure: GuardFailure) -> Frame | None:
        """Where the size that failed was first used, in the nearest graph or in the new one."""
        if failure.dimension is None:
            return None
        source = f"{failure.source}.size()[{failure.dimension}]"
        for compile_id in (failure.entry, event.compile_id):
            frame = self.own(self._born.get((event.process, compile_id, source)))
            if frame:
                return frame
        return None
