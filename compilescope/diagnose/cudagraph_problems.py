"""What keeps CUDA graphs from being used, or from paying: one entry for each kind and user line."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from compilescope.diagnose.evidence import torch_version
from compilescope.diagnose.notices import explain as explain_notice
from compilescope.diagnose.notices_moves import moved, overwritten, recording_failed
from compilescope.diagnose.remedies import available
from compilescope.diagnosis import CudaGraphProblem
from compilescope.model import CudaGraphed, Errored, Frame, Session, Warned
from compilescope.paths import own_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.diagnosis import Remedy

Status = Literal["recorded", "partly", "skipped", "off", "failed"]
Kind = Literal[
    "skipped",
    "rerecorded",
    "given_up",
    "many_sizes",
    "pending_backward",
    "overwritten",
    "copied",
    "recording_failed",
]

ASKED = "triton.cudagraphs"
OFF = "partition includes all ops when cudagraphs is disabled"
_OVERWRITTEN = re.compile(r"CUDAGraphs? that has been overwritten by a subsequent run")
_GRADIENT = "gradient tensor output"
_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>\S+))?')
_STATEMENT = re.compile(r'^\s*(?!File ")(?P<code>\S.*)$')
_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"max re-recording limit|re-recording threshold|shape_rerecord_limit=", "given_up"),
    (r"CUDAGraph supports dynamic shapes", "many_sizes"),
    (r"Unable to hit fast path of CUDAGraphs", "pending_backward"),
    (r"will be copied during cudagraphs", "copied"),
    (r"[Rr]e-recording", "rerecorded"),
)
_PARTITION = re.compile(
    r"^(?:[\w -]+ ops(?: when .*)?|custom partition op: .*|\w+-unsafe .*|uses cudagraph-unsafe .*)$"
)
# `x.add_(1)`, `x[i] = y`, `x += 1`
_WRITTEN = re.compile(
    r"^(?:return )?(?P<name>[A-Za-z_][\w.]*?)(?:\.[a-z]\w*_\(|\[[^=]*\] (?:[-+*/]|//)?= | [-+*/]= )"
)
_INPUT = re.compile(r"^input name: (\S+)$", re.MULTILINE)
_ORDER: tuple[Kind, ...] = (
    "overwritten", "recording_failed", "given_up", "skipped", "rerecorded", "pending_backward",
    "many_sizes", "copied",
)  # fmt: skip


def explain(session: Session) -> tuple[CudaGraphProblem, ...]:
    """The problems, those to act on first; equal ones are one."""
    found: dict[tuple[str, str, Frame | None], CudaGraphProblem] = {}
    for item in _problems(session):
        key = (item.kind, item.why, item.frame)
        known = found.get(key)
        if known is None:
            found[key] = item
            continue
        # The warning about many sizes counts on: its last text has the number that holds.
        newest = item if item.kind == "many_sizes" else known
        found[key] = replace(
            newest,
            times=known.times + item.times,
            inputs=tuple(dict.fromkeys((*known.inputs, *item.inputs))),
            compile_ids=tuple(dict.fromkeys((*known.compile_ids, *item.compile_ids))),
        )
    torch = torch_version(session.environment.torch)
    fitting = (replace(item, remedies=available(item.remedies, torch)) for item in found.values())
    return tuple(
        sorted(
            fitting,
            key=lambda item: (not item.remedies, _ORDER.index(item.kind), -item.times),
        )
    )


def steps(session: Session) -> tuple[CudaGraphed, ...]:
    """What was set up, warmed up and recorded.

    Older sessions count every graph that did not fit a call as recorded again, whether or not
    another one fitted: no function is recorded again more often than it is recorded, less one.
    """
    found = tuple(event for event in session.events if isinstance(event, CudaGraphed))
    left: dict[tuple[int, str, str, str], int] = defaultdict(int)
    for event in found:
        if event.what == "recorded":
            left[_recorded_as(event)] += event.times
    left = defaultdict(int, {key: times - 1 for key, times in left.items()})
    kept = []
    for event in found:
        if event.what != "rerecorded":
            kept.append(event)
            continue
        key = _recorded_as(event)
        times = min(event.times, left[key])
        left[key] -= times
        if times:
            kept.append(replace(event, times=times))
    return tuple(kept)


def _recorded_as(event: CudaGraphed) -> tuple[int, str, str, str]:
    return event.process, event.compile_id, event.function, event.mode


def _problems(session: Session) -> Iterator[CudaGraphProblem]:
    for event in session.events:
        if isinstance(event, Warned):
            yield from _warned(event)
    for event in steps(session):
        if event.what == "rerecorded":
            why, remedies = moved(event.reason, event.inputs)
            yield CudaGraphProblem(
                kind="rerecorded",
                text=event.reason or "recorded again",
                why=why,
                times=event.times,
                frame=event.frame,
                inputs=event.inputs,
                compile_ids=_ids(event.compile_id),
                remedies=remedies,
            )
    yield from _recording_errors(session)
    told = {event.text for event in session.events if isinstance(event, Errored)}
    told |= {process.error for process in session.processes}
    # The exception that ended the process is often that of the compiled call as well.
    yield from {item.frame: item for text in sorted(told) for item in _overwritten(text)}.values()


def _recording_errors(session: Session) -> Iterator[CudaGraphProblem]:
    """Errors that a recording raised, once each: one of a call often ends the process too."""
    events = [event for event in session.events if isinstance(event, Errored)]
    told = [(event.text, event.frame) for event in events]
    told += [(process.error, None) for process in session.processes if process.error]
    seen = set()
    compiled = _compiles_for_them(session)
    for text, frame in told:
        why, remedies = recording_failed(text, compiled=compiled)
        if why and why not in seen:
            seen.add(why)
            first = text.strip().partition("\n")[0]
            yield CudaGraphProblem("recording_failed", first, why, frame=frame, remedies=remedies)


def _compiles_for_them(session: Session) -> bool:
    """Whether compiled functions use CUDA graphs; a program may record some of its own."""
    asked = any(item.options.get(ASKED) == "True" for item in session.callables)
    return asked or any(isinstance(event, CudaGraphed) for event in session.events)


def _warned(event: Warned) -> Iterator[CudaGraphProblem]:
    kind = _kind(event)
    if kind is None:
        return
    why, remedies = explain_notice(event.kind, event.text)
    if event.frame is not None and (written := _WRITTEN.match(event.frame.code)):
        remedies = tuple(_of_tensor(one, written["name"]) for one in remedies)
    yield CudaGraphProblem(
        kind=kind,
        text=event.text,
        why=why,
        times=event.times,
        frame=event.frame,
        inputs=tuple(_INPUT.findall(event.text)),
        compile_ids=_ids(event.compile_id),
        remedies=remedies,
    )


def _of_tensor(remedy: Remedy, name: str) -> Remedy:
    """The remedy for the tensor that the user's line writes into."""
    if remedy.id != "mark_static_address":
        return remedy
    return replace(remedy, snippet=remedy.snippet.replace("(tensor)", f"({name})"))


def _kind(event: Warned) -> Kind | None:
    if event.text.startswith(OFF):
        return None
    for pattern, kind in _KINDS:
        if re.search(pattern, event.text):
            return kind
    if event.kind == "cudagraph_skip":
        return "skipped"
    return "skipped" if event.kind == "cudagraph" and _PARTITION.match(event.text) else None


def _overwritten(text: str) -> Iterator[CudaGraphProblem]:
    if not _OVERWRITTEN.search(text):
        return
    why, remedies = overwritten(gradient=_GRADIENT in text)
    first = next((line for line in text.splitlines() if _OVERWRITTEN.search(line)), text)
    yield CudaGraphProblem(
        kind="overwritten",
        text=first.partition(" Stack trace:")[0].strip(),
        why=why,
        frame=own_frame(_stack(text)),
        remedies=remedies,
    )


def _stack(text: str) -> list[Frame]:
    """The frames in the message, where the code of each stands on the line below it."""
    frames: list[Frame] = []
    for line in text.splitlines():
        if found := _FRAME.search(line):
            frames.append(
                Frame(found["path"], int(found["line"]), (found["function"] or "").rstrip("."))
            )
        elif frames and not frames[-1].code and (code := _STATEMENT.match(line)):
            statement = code["code"].partition(". To prevent overwriting")[0]
            frames[-1] = replace(frames[-1], code=statement)
    return frames


def _ids(compile_id: str) -> tuple[str, ...]:
    return (compile_id,) if compile_id else ()
