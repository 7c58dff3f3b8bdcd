"""Functions that reached their recompile limit and run eagerly from then on."""

from __future__ import annotations

from compilescope.diagnose.causes import Explained
from compilescope.diagnose.functions import first_lines, written
from compilescope.diagnose.timeline import Timeline
from compilescope.diagnosis import Fallback
from compilescope.model import Callable, FellBack, Frame, Session


def explain_fallbacks(
    session: Session, timeline: Timeline, explained: Explained
) -> tuple[Fallback, ...]:
    """One entry for each function and process that reached a limit."""
    lines = first_lines(session)
    found: dict[tuple[int, str, str], Fallback] = {}
    for event in session.events:
        if not isinstance(event, FellBack):
            continue
        frame = written(event.frame, lines)
        eager = timeline.eager_calls(event.process, _callables(session, event.process, frame))
        found.setdefault(
            (event.process, frame.path, event.frame.function),
            Fallback(
                frame=frame,
                limit=event.limit,
                limit_name=event.limit_name,
                call=eager[0].index if eager else None,
                calls_eager=len(eager),
                causes=tuple(explained.by_function.get(event.frame, ())),
                process=event.process,
                why=_why(frame, event.limit, len(eager)),
            ),
        )
    return tuple(found.values())


def _callables(session: Session, process: int, frame: Frame) -> list[int]:
    """The callables that run `frame`; all of the process where none names it."""
    own = [i for i, item in enumerate(session.callables) if item.process == process]
    exact = [i for i in own if _runs(session.callables[i], frame)]
    return exact or own


def _runs(item: Callable, frame: Frame) -> bool:
    return item.frame is not None and (item.frame.path, item.frame.function) == (
        frame.path,
        frame.function,
    )


def _why(frame: Frame, limit: int | None, calls_eager: int) -> str:
    count = f"{limit} graphs" if limit else "as many graphs as the limit allows"
    calls = "1 call" if calls_eager == 1 else f"{calls_eager} calls"
    since = f" {calls} did so in this run." if calls_eager else ""
    return (
        f"`{frame.function}` has {count} in its cache. PyTorch compiles no more for it: every input"
        f" that none of them fits runs eagerly, slowly and without another message.{since}"
    )
