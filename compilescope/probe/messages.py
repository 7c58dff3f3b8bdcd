"""The compiler's quiet messages in an agent's words, as the events that a log would give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from compilescope.logs.cudagraph_runs import read_run
from compilescope.logs.stacks import own_frame, read_stack
from compilescope.logs.text_warnings import read_message
from compilescope.model import CudaGraphed, Warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.probe.records import ProcessRecord

_ARTIFACTS = {"cudagraph": "cudagraphs", "perf_hint": "perf_hints"}


def events(agent: ProcessRecord, process: int) -> Iterator[tuple[float, Warned | CudaGraphed]]:
    """Every message with its time; how often it came is known where the process ended well."""
    times = {note["number"]: note["times"] for note in agent.all("warned_times")}
    for note in agent.all("warned"):
        count = times.get(note.get("number"), 1)
        event = _run(note, process, count) or _warning(note, process, count)
        if event is not None:
            yield note["at"], event


def _run(note: dict[str, Any], process: int, times: int) -> CudaGraphed | None:
    if note["kind"] != "cudagraph":
        return None
    told = read_run(
        note["text"].split("\n"), process=process, compile_id=note.get("id", ""), at=note["at"]
    )
    if told is None:
        return None
    return replace(told, times=times)


def _warning(note: dict[str, Any], process: int, times: int) -> Warned | None:
    lines = note["text"].split("\n")
    message = read_message(lines, _ARTIFACTS.get(note["kind"], ""), "W")
    if message is None:
        return None
    frame = message.frame or own_frame(read_stack(note.get("stack", "").split("\n")))
    return Warned(
        process=process,
        kind=message.kind,
        text=message.text,
        times=times,
        at=note["at"],
        compile_id=note.get("id", ""),
        frame=frame,
    )
