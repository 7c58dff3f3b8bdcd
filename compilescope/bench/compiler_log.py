"""Graph breaks, recompiles and the limit in words, from what torch printed while it compiled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.errors import CompilescopeError

if TYPE_CHECKING:
    from compilescope.model import Frame


@dataclass(frozen=True)
class CompilerLog:
    """What the log tells, each sort once."""

    breaks: tuple[str, ...] = ()
    recompiles: tuple[str, ...] = ()
    fallback: str = ""
    remedies: tuple[str, ...] = ()  # the first of each cause


def read(path: Path | None) -> CompilerLog:
    """The log in `path`; empty where torch printed nothing of the sort."""
    from compilescope.diagnose import diagnose
    from compilescope.logs.reader import read as read_logs

    if path is None or not path.exists():
        return CompilerLog()
    try:
        found = diagnose(read_logs([path]))
    except CompilescopeError:  # no line of torch's: nothing broke and nothing compiled again
        return CompilerLog()
    return CompilerLog(
        tuple(f"{_place(one.frame)}: {one.why}" for one in found.graph_breaks),
        tuple(f"{_place(one.frame)}: {one.why}" for one in found.causes),
        next((one.why or f"{one.frame.function} reached {one.limit_name}"
              for one in found.fallbacks), ""),
        tuple(dict.fromkeys(one.remedies[0].text for one in found.causes if one.remedies)),
    )  # fmt: skip


def _place(frame: Frame) -> str:
    if "_compilescope_bench" in frame.path:
        return "the step"  # the optimizer's, which bench calls
    if "_dynamo" in Path(frame.path).parts:
        return "the call"  # of a module without a `forward` in Python, which torch wraps
    name = Path(frame.path).name
    return f"{name}:{frame.line}" if frame.line else name
