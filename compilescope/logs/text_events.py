"""The events of a text log, from all that its records told.

A text log does not say which functions were compiled, only which were compiled again and what
stopped the compiler. A compile is inferred where a record names its id and another its function.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec

from compilescope.logs.guard_text import repair_path
from compilescope.logs.log import Log
from compilescope.logs.text_compiles import add_compiles
from compilescope.logs.text_processes import Processes
from compilescope.logs.text_recompiles import NO_FRAME, Limit
from compilescope.logs.text_story import Story, Told
from compilescope.logs.text_telling import Key, Rejected, Telling
from compilescope.model import (
    Compiled,
    Errored,
    FellBack,
    Frame,
    Gap,
    GraphBroke,
    Recompiled,
    Warned,
)

_HARD = {"FailOnRecompileLimitHit", "RecompileError"}  # raised instead of compiling again
_TIMES = Gap(
    "compile and call times",
    detail="text logs do not carry them, nor every first compile; TORCH_TRACE or"
    " `compilescope probe` records them",
)
_NO_BREAKS = Gap(
    "graph breaks",
    detail="none are in the log: there were none, or TORCH_LOGS did not name graph_breaks",
)
_NO_RECOMPILES = Gap(
    "recompilations",
    detail="none are in the log: there were none, or TORCH_LOGS did not name recompiles",
)
ONLY_OF_TEXT: dict[Gap, tuple[type, ...]] = {  # gaps of text, and the events that close them
    _TIMES: (),
    _NO_BREAKS: (GraphBroke,),
    _NO_RECOMPILES: (Recompiled, FellBack),
}


def finish(story: Story, offset: float) -> Log:
    """The events of `story`; `offset` leads from a record's time to Unix time."""
    story.paths.discard("")
    paths = {rejection.frame.path for _, rejection in story.rejections} | story.paths
    telling = Telling(story, offset, Processes(story.owners), paths=tuple(sorted(paths - {""})))
    _reject(telling)
    _limits(telling)
    _failures(telling)
    add_compiles(telling)
    _breaks(telling)
    _others(telling)
    telling.placed.sort(key=lambda placed: placed[:2])
    log = Log(
        events=[event for _, _, event in telling.placed],
        processes=telling.processes.listed(),
        gaps=telling.gaps,
    )
    _say_what_is_missing(log)
    return log


def _reject(telling: Telling) -> None:
    """Recompilations, each with the id of the compile it led to."""
    story = telling.story
    names = _frames_by_id(telling)
    seen = set()
    for told, rejection in story.rejections:
        process = telling.process(told)
        frame = rejection.frame
        compile_id = told.compile_id
        if not frame.path and compile_id:
            frame = names.get((process, _frame_id(compile_id)), NO_FRAME)
        identity = (process, compile_id, told.at, rejection)
        if told.at is not None and identity in seen:
            continue  # the same record, read from a second copy of the log
        seen.add(identity)
        failures = rejection.failures(telling.paths)
        compile_id = compile_id or telling.next_id(process, frame, failures)
        telling.rejected.append(Rejected(told, process, compile_id, frame, failures))
    for told, rejection in story.forbidden:
        process, failures = telling.process(told), rejection.failures(telling.paths)
        telling.rejected.append(
            Rejected(told, process, "", rejection.frame, failures, prevented=True)
        )


def _frames_by_id(telling: Telling) -> dict[Key, Frame]:
    """The function that each frame id stands for."""
    names: dict[Key, Frame] = {}
    story = telling.story
    told_of: list[tuple[Told, Frame]] = [
        *((told, rejection.frame) for told, rejection in story.rejections),
        *((told, limit.frame) for told, limit in story.limits),
        *story.starts,
    ]
    for told, frame in told_of:
        if told.compile_id and frame.path:
            names.setdefault((telling.process(told), _frame_id(told.compile_id)), frame)
    return names


def _frame_id(compile_id: str) -> str:
    return compile_id.rpartition("/")[0]


def _limits(telling: Telling) -> None:
    """Functions that reached their limit, and the recompilations that it refused."""
    hard = [
        (telling.process(told), told.number)
        for told, failure in telling.story.failures
        if failure.kind in _HARD
    ]
    for told, limit in telling.story.limits:
        process = telling.process(told)
        refused = _refused_by(telling, told, limit, process)
        if refused is not None:
            refused.refused = True
        if any(owner == process and told.number < number for owner, number in hard):
            continue  # an exception, not eager execution, is what came of it
        reasons = refused.failures if refused and refused.failures else None
        telling.put(
            told,
            FellBack(
                process=process,
                frame=limit.frame,
                at=telling.unix(told),
                compile_id=told.compile_id,
                limit=limit.limit,
                limit_name=limit.name,
                reasons=limit.failures(telling.paths) if reasons is None else reasons,
            ),
        )


def _refused_by(telling: Telling, told: Told, limit: Limit, process: int) -> Rejected | None:
    for rejected in reversed(telling.rejected):
        if rejected.process != process or rejected.told.number > told.number:
            continue
        if told.compile_id and rejected.told.compile_id:
            if rejected.compile_id == told.compile_id:
                return rejected
        elif _same_function(rejected.frame, limit.frame):
            return rejected
    return None


def _same_function(one: Frame, other: Frame) -> bool:
    return (one.path, one.function) == (other.path, other.function) and (
        one.line == other.line or not one.line or not other.line
    )


def _failures(telling: Telling) -> None:
    """Compiles and calls that raised."""
    seen = set()
    for told, failure in telling.story.failures:
        process = telling.process(told)
        identity = (process, failure.kind, failure.text)
        if failure.kind in _HARD:
            earlier = [one for one in telling.rejected if one.process == process]
            earlier = [one for one in earlier if one.told.number < told.number]
            if earlier:
                earlier[-1].prevented = True
        compile_id = told.compile_id
        if failure.function is not None:
            compile_id = compile_id or telling.next_id(process, failure.function)
            compiled = Compiled(
                process=process,
                compile_id=compile_id,
                frame=failure.function,
                at=telling.unix(told),
                outcome="failed",
                failure=failure.text,
                failure_frame=failure.frame,
            )
            telling.compiled[process, compile_id] = (told.number * 2 - 1, compiled)
        if identity in seen:
            continue
        seen.add(identity)
        telling.put(
            told,
            Errored(
                process=process,
                text=failure.text,
                kind=failure.kind,
                compile_id=compile_id,
                at=telling.unix(told),
                frame=failure.frame,
                stack=failure.stack,
            ),
        )


def _breaks(telling: Telling) -> None:
    """Graph breaks; a repeated one is logged without its stack, which the first one gives."""
    stacks: dict[tuple[int, str, int, str], list[GraphBroke]] = defaultdict(list)
    guessed = 0
    for told, event in telling.story.breaks:
        if event.stack:
            place = event.stack[-1]
            stacks[telling.process(told), place.path, place.line, event.type].append(event)
    lines = set()
    for told, event in telling.story.breaks:
        process = telling.process(told)
        known = stacks.get((process, event.frame.path, event.frame.line, event.type), [])
        changes: dict[str, object] = {"process": process, "at": telling.unix(told)}
        if not event.stack and known:
            changes |= {"frame": known[0].frame, "stack": known[0].stack}
            guessed += len({(one.frame.path, one.frame.line) for one in known}) > 1
        event = msgspec.structs.replace(event, **changes)  # noqa: PLW2901
        lines.add((process, event.frame.path, event.frame.line))
        telling.put(told, event)
    for told, event in telling.story.break_warnings:
        process = telling.process(told)
        if (process, event.frame.path, event.frame.line) not in lines:
            at = telling.unix(told)
            telling.put(told, msgspec.structs.replace(event, process=process, at=at))
    if guessed:
        telling.gaps.append(
            Gap(
                "lines of repeated graph breaks",
                count=guessed,
                detail="several of the user's lines lead there; the first one is shown",
            )
        )


def _others(telling: Telling) -> None:
    for told, event in telling.story.symbolic:
        frame = event.frame
        if frame is not None and telling.paths:
            path = repair_path(frame.path, telling.paths)
            frame = Frame(path, frame.line, frame.function, frame.code)
        telling.put(
            told, msgspec.structs.replace(event, process=telling.process(told), frame=frame)
        )
    for run in telling.story.runs.values():
        process, at = telling.process(run.told), telling.unix(run.told)
        told_run = msgspec.structs.replace(run.event, process=process, at=at, times=run.times)
        telling.put(run.told, told_run)
    for repeated in telling.story.messages.values():
        told, message = repeated.told, repeated.message
        telling.put(
            told,
            Warned(
                process=telling.process(told),
                kind=message.kind,
                text=message.text,
                times=repeated.times,
                at=telling.unix(told),
                compile_id=told.compile_id,
                frame=message.frame,
            ),
        )


def _say_what_is_missing(log: Log) -> None:
    kinds = {type(event) for event in log.events}
    if not kinds:
        return
    log.gaps.append(_TIMES)
    if GraphBroke not in kinds:
        log.gaps.append(_NO_BREAKS)
    if Recompiled not in kinds and FellBack not in kinds:
        log.gaps.append(_NO_RECOMPILES)
