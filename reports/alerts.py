"""What a diagnosis says of single lines, for the formats that show code with remarks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Literal

from compilescope.model import Frame

from .words import few, find, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilescope.diagnosis import Diagnosis, Remedy

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Alert:
    """One remark on one place."""

    id: str  # stable across runs
    rule: str
    title: str  # what the rule is about, in a few words
    level: Level
    text: str
    frame: Frame
    columns: tuple[int, int] | None = None  # 1-based, the end exclusive
    seconds: float | None = None
    times: int | None = None


def alerts(diagnosis: Diagnosis) -> Iterator[Alert]:
    """Fallbacks, causes, graph breaks and static findings, each with what to do."""
    for fallback in diagnosis.fallbacks:
        name = fallback.frame.function
        yield Alert(
            id=f"limit-{name}",
            rule=fallback.limit_name,
            title="the recompile limit is reached",
            level="error",
            text=fallback.why,
            frame=fallback.frame,
            times=fallback.calls_eager or None,
        )
    for cause in diagnosis.causes:
        cost = f", {seconds(cause.seconds_lost)} lost" if cause.seconds_lost else ""
        yield Alert(
            id=cause.id,
            rule=f"recompile/{cause.kind}",
            title=f"recompiles: {cause.kind}",
            level="warning",
            text=_said(f"{few(cause.times, 'recompile')}{cost}. {cause.why}", cause.remedies),
            frame=cause.frame,
            columns=_columns(diagnosis, cause.frame, cause.source),
            seconds=cause.seconds_lost or None,
            times=cause.times,
        )
    for item in diagnosis.graph_breaks:
        yield Alert(
            id=item.id,
            rule=f"graph-break/{item.gb_id or item.type}",
            title=item.type,
            level="error" if item.whole_frame else "warning",
            text=_said(f"Graph break. {item.why}", item.remedies),
            frame=item.frame,
            seconds=item.seconds or None,
            times=item.times,
        )
    for found in diagnosis.findings:
        one_line = found.line == found.end_line
        met = f" (met {few(found.times, 'time')} in this run)" if found.times else ""
        said = f"{found.message}{met}", found.reason, found.help
        yield Alert(
            id=f"{found.code}-{found.function}-{found.message}",
            rule=found.code,
            title=found.name,
            level="warning" if found.times else "note",
            text="\n".join(part for part in said if part),
            frame=Frame(found.path, found.line if found.cell is None else 0, found.function),
            columns=(found.column, found.end_column) if one_line else None,
            seconds=found.seconds,
            times=found.times,
        )


def relative(path: str) -> str | None:
    """`path` from the current folder with slashes, None where it is not in there."""
    if PureWindowsPath(path).drive and os.sep == "/":
        return None
    inside = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    return None if inside.startswith("..") else inside.replace(os.sep, "/")


def is_file(frame: Frame) -> bool:
    """Whether the frame names a line of a file, and not `<stdin>` or nothing."""
    return bool(frame.path) and not frame.path.startswith("<") and frame.line > 0


def _said(text: str, remedies: Sequence[Remedy]) -> str:
    if not remedies:
        return text
    first = remedies[0]
    code = f"\n{first.snippet}" if first.snippet else ""
    return f"{text}\nfix: {first.text} ({first.proof}){code}"


def _columns(diagnosis: Diagnosis, frame: Frame, expression: str) -> tuple[int, int] | None:
    line = diagnosis.sources.get(frame.path, {}).get(frame.line, "")
    at, length = find(line, expression)
    return (at + 1, at + 1 + length) if length else None
