"""What a recorded run met, as `lint` compares it with its findings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.diagnose import diagnose
from compilescope.lint.result import Met
from compilescope.lint.run import shown
from compilescope.store import load

if TYPE_CHECKING:
    from compilescope.diagnosis import Break, Cause
    from compilescope.model import Frame


def met_in(path: Path) -> list[Met]:
    """The graph breaks and the causes of recompiles in a session.

    Raises:
        InputError: not a session.
    """
    session = load(path)
    diagnosis = diagnose(session)

    def code(frame: Frame) -> str:
        return frame.code or session.sources.get(frame.path, {}).get(frame.line, "").strip()

    breaks = [_broke(item, code(item.frame)) for item in diagnosis.graph_breaks]
    return breaks + [_recompiled(item, code(item.frame)) for item in diagnosis.causes]


def _broke(item: Break, code: str) -> Met:
    return Met(
        kind="break",
        path=shown(Path(item.frame.path)),
        line=item.frame.line,
        what=f"graph break: {item.type}" + (f" ({item.gb_id})" if item.gb_id else ""),
        times=item.times,
        seconds=item.seconds,
        function=item.frame.function,
        code=code,
        gb_id=item.gb_id,
    )


def _recompiled(item: Cause, code: str) -> Met:
    return Met(
        kind="recompile",
        path=shown(Path(item.frame.path)),
        line=item.frame.line,
        what=f"recompiled: {item.why.partition('. ')[0].rstrip('.')}.",
        times=item.times,
        seconds=item.seconds_lost,
        function=item.frame.function,
        code=code,
        source=item.source,
    )
