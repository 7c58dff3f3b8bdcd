"""CUDA graphs in one run: what was recorded, for which sizes, and what stood in the way."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compilescope.diagnose import cudagraph_problems as problems
from compilescope.diagnose.functions import first_lines, written
from compilescope.diagnosis import CudaGraph, CudaGraphs
from compilescope.model import Compiled, CudaGraphed, Frame, Session, Warned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.diagnosis import CudaGraphProblem

_SET_UP = "Recording cudagraph tree for "
_FAILED = {
    "overwritten": "the run read an output that a later call had overwritten",
    "recording_failed": "a recording raised an error",
}
_NUMBERED = "function "  # up to torch 2.9, which does not say what is recorded again


def explain_cudagraphs(session: Session) -> CudaGraphs | None:
    """The panel on CUDA graphs; None where the run neither asked for them nor spoke of them."""
    steps = _steps(session)
    found = problems.explain(session)
    folded = sum(
        event.times
        for event in session.events
        if isinstance(event, Warned) and event.text.startswith(problems.OFF)
    )
    status = _status(session, steps, found)
    if status is None:
        return _without_steps(session, folded)
    graphs = _graphs(session, steps)
    found = tuple(_with_sizes(item, graphs) for item in found)
    counts = {what: _count(steps, what) for what in ("recorded", "rerecorded", "warmed_up")}
    return CudaGraphs(
        status=status,
        summary=_summary(status, graphs, counts, found),
        graphs=graphs,
        problems=found,
        recorded=counts["recorded"],
        rerecorded=counts["rerecorded"],
        warm_ups=counts["warmed_up"],
        pools=tuple(pool for item in session.memory for pool in item.pools),
        folded=folded,
    )


def covered(event: Warned) -> bool:
    """Whether the panel tells what this message does, so that it need not be a notice too."""
    return event.text.startswith((problems.OFF, _SET_UP))


def _steps(session: Session) -> tuple[CudaGraphed, ...]:
    """The steps told as events, or else as the messages that older sessions keep."""
    found = problems.steps(session)
    if found:
        return found
    return tuple(
        CudaGraphed(
            process=event.process,
            what="set_up",
            compile_id=event.compile_id,
            sizes=event.text.partition("symint key")[2].strip("(,) "),
            at=event.at,
            times=event.times,
        )
        for event in session.events
        if isinstance(event, Warned) and event.text.startswith(_SET_UP)
    )


def _with_sizes(item: CudaGraphProblem, graphs: Sequence[CudaGraph]) -> CudaGraphProblem:
    """A warning of many sizes, with the function that has so many; PyTorch does not name it."""
    if item.kind != "many_sizes" or item.frame is not None:
        return item
    warned = re.search(r"observed (\d+) distinct sizes", item.text)
    least = int(warned[1]) if warned else 2
    having = [one for one in graphs if len(one.sizes) >= least]
    if len(having) != 1 or having[0].function is None:
        return item
    return replace(item, frame=having[0].function, compile_ids=(having[0].compile_id,))


def _status(
    session: Session, steps: Sequence[CudaGraphed], found: Sequence[CudaGraphProblem]
) -> problems.Status | None:
    if any(item.kind in _FAILED for item in found):
        return "failed"
    kept_out = any(item.kind in ("skipped", "given_up") for item in found)
    if steps:
        return "partly" if kept_out else "recorded"
    # A log has the warnings of every run, and the recordings only where they were asked for.
    if kept_out and session.source == "probe":
        return "skipped"
    # PyTorch hints at copied gradients whether or not CUDA graphs are in use.
    return "partly" if any(item.kind != "copied" for item in found) else None


def _without_steps(session: Session, folded: int) -> CudaGraphs | None:
    asked = [item.name for item in session.callables if item.options.get(problems.ASKED) == "True"]
    if asked and session.source == "probe":
        name = f"`{asked[0]}`" if len(set(asked)) == 1 else f"{len(set(asked))} functions"
        why = (
            "PyTorch gives no reason"
            if session.environment.devices
            else "this run used no GPU that compilescope saw"
        )
        text = f"CUDA graphs were asked for in {name}, and none was recorded: {why}."
        return CudaGraphs(status="skipped", summary=text, folded=folded)
    if folded:
        text = "CUDA graphs are not switched on. There is nothing to do."
        return CudaGraphs(status="off", summary=text, folded=folded)
    return None


def _count(steps: Sequence[CudaGraphed], what: str) -> int | None:
    """How often; None where only the rough steps were logged, which `set_up` is alone in."""
    if not any(step.what != "set_up" for step in steps):
        return None
    if what == "rerecorded" and any(step.function.startswith(_NUMBERED) for step in steps):
        return None
    return sum(step.times for step in steps if step.what == what)


def _graphs(session: Session, steps: Iterable[CudaGraphed]) -> tuple[CudaGraph, ...]:
    lines = first_lines(session)
    functions: dict[tuple[int, str], Frame] = {
        (event.process, event.compile_id): written(event.frame, lines)
        for event in session.events
        if isinstance(event, Compiled)
    }
    by_graph: dict[tuple[int, str], list[CudaGraphed]] = defaultdict(list)
    for step in steps:
        by_graph[step.process, step.compile_id].append(step)
    return tuple(
        CudaGraph(
            compile_id=compile_id,
            function=functions.get((process, compile_id)),
            sizes=tuple(dict.fromkeys(step.sizes for step in own if step.sizes)),
            recorded=_count(own, "recorded"),
            rerecorded=_count(own, "rerecorded"),
            warm_ups=_count(own, "warmed_up"),
        )
        for (process, compile_id), own in by_graph.items()
    )


def _summary(
    status: str,
    graphs: Sequence[CudaGraph],
    counts: dict[str, int | None],
    found: Sequence[CudaGraphProblem],
) -> str:
    if status == "skipped":
        return "CUDA graphs were asked for, and none was recorded."
    kept_out = sum(item.times for item in found if item.kind in ("skipped", "given_up"))
    often = "once" if kept_out == 1 else f"{kept_out:,} times"
    if not graphs and kept_out and status != "failed":
        left_out = f"A graph, or a part of one, was left out of CUDA graphs {often}"
        return f"{left_out}; the log does not tell which were recorded."
    recorded, again, warm = counts["recorded"], counts["rerecorded"], counts["warmed_up"]
    if recorded == 0:
        told = "No CUDA graph was recorded"
        told += f" after {_few(warm, 'warm-up run')}" if warm else ""
    elif recorded is None:
        told = "CUDA graphs were set up"
        # Older versions do not say for which graph.
        if all(graph.compile_id for graph in graphs):
            told += f" for {_few(len(graphs), 'compiled graph')}"
    else:
        told = f"{_few(recorded, 'CUDA graph')} recorded"
        told += f", {again} of them again" if again else ""
        told += f", after {_few(warm, 'warm-up run')}" if warm else ""
    if not graphs:
        told = "CUDA graphs are in use"
    sizes = sum(len(graph.sizes) for graph in graphs)
    told += f", for {sizes} distinct sizes" if sizes > 1 else ""
    told += f"; a graph, or a part of one, was left out {often}" if kept_out else ""
    for kind, happened in _FAILED.items():
        told += f"; {happened}" if any(item.kind == kind for item in found) else ""
    return f"{told}."


def _few(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
