"""Session to diagnosis. Pure: no input, no output, no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose.breaks import explain_breaks
from compilescope.diagnose.causes import explain_recompiles
from compilescope.diagnose.cudagraphs import covered, explain_cudagraphs
from compilescope.diagnose.errors import ran_eagerly, tell
from compilescope.diagnose.evidence import torch_version
from compilescope.diagnose.fallbacks import explain_fallbacks
from compilescope.diagnose.functions import summaries
from compilescope.diagnose.kernels import explain_kernels
from compilescope.diagnose.memory import graph_memory
from compilescope.diagnose.nothing import nothing
from compilescope.diagnose.notices import explain as explain_notice
from compilescope.diagnose.proofs import prove
from compilescope.diagnose.remedies import available
from compilescope.diagnose.symbols import explain_symbols
from compilescope.diagnose.timeline import Timeline
from compilescope.diagnose.verdict import on_device, recovery, status, verdict
from compilescope.diagnosis import Compile, Counts, Diagnosis, Notice, Seconds
from compilescope.model import Compiled, Errored, Specialized, Warned

if TYPE_CHECKING:
    from compilescope.diagnose.causes import Explained
    from compilescope.model import Session


def diagnose(session: Session) -> Diagnosis:
    """What the session says: verdict, causes ranked by seconds, breaks, fallbacks, the rest."""
    timeline = Timeline(session)
    explained = explain_recompiles(session, timeline)
    breaks = explain_breaks(session)
    fallbacks = explain_fallbacks(session, timeline, explained)
    calls = timeline.series()
    compiles = _compiles(session, timeline)
    torch = torch_version(session.environment.torch)
    fixed = {
        source
        for event in session.events
        if isinstance(event, Specialized) and event.by_inductor
        for source in event.sources
    }
    unmet = ran_eagerly(session)
    raised = (
        event for event in session.events if isinstance(event, Errored) and event not in unmet
    )
    errors = tuple(dict.fromkeys(tell(event, torch, fixed) for event in raised))
    counts = Counts(
        calls=timeline.count(),
        compiles=sum(item.outcome == "compiled" for item in compiles),
        recompiles=len(explained.recompiles),
        graph_breaks=len(breaks),
        fallbacks=len(fallbacks),
        unknown=_unknown(explained),
    )
    seconds = Seconds(
        total=session.seconds,
        compiling=sum(item.seconds or 0.0 for item in compiles),
        lost=sum(item.seconds_lost for item in explained.recompiles),
        slowest=_slowest(explained),
    )
    state = status(counts, session, len(errors))
    cudagraphs, kernels = explain_cudagraphs(session), explain_kernels(session)
    return Diagnosis(
        verdict=nothing(session)
        if state in {"nothing", "failed"}
        else verdict(
            state, counts, seconds, fallbacks, breaks, calls, on_device(cudagraphs, kernels)
        ),
        status=state,
        counts=counts,
        seconds=seconds,
        causes=prove(explained.causes, session.proofs),
        recompiles=explained.recompiles,
        graph_breaks=breaks,
        environment=session.environment,
        incomplete=session.gaps,
        name=session.name,
        created=session.created,
        command=session.command,
        ended=ended(session),
        recovery=recovery(explained.causes, seconds),
        fallbacks=fallbacks,
        compiles=compiles,
        functions=summaries(session),
        calls=calls,
        notices=_notices(session),
        errors=errors,
        findings=session.findings,
        processes=session.processes,
        sources=session.sources,
        symbols=explain_symbols(session),
        forecast=session.forecast,
        cudagraphs=cudagraphs,
        kernels=kernels,
        memory=graph_memory(session),
        devices=session.memory,
    )


def ended(session: Session) -> str:
    """How the program ended, in words; "" where the session is not of a program."""
    signal = next((item.signal for item in session.processes if item.signal), "")
    error = next((item.error for item in session.processes if item.error), "")
    match session.how:
        case "exited":
            return f"exited with code {session.code or 0}"
        case "failed":
            return f"failed with exit code {session.code}" + (f": {_first(error)}" if error else "")
        case "killed":
            return f"killed by {signal or 'a signal'}"
        case "interrupted":
            return "interrupted"
        case "unfinished":
            return "still running, or its end was not recorded"
        case _:
            return ""


def _first(text: str) -> str:
    """The first line, with the next one that says something where the first only announces it."""
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]
    if len(lines) > 1 and lines[0].endswith(":"):
        return f"{lines[0]} {lines[1]}"
    return lines[0] if lines else text.strip()


def _compiles(session: Session, timeline: Timeline) -> tuple[Compile, ...]:
    found: dict[tuple[int, str, bool], Compile] = {}
    for event in session.events:
        if not isinstance(event, Compiled):
            continue
        payment = timeline.payment((event.process, event.compile_id))
        found[event.process, event.compile_id, event.backward] = Compile(
            compile_id=event.compile_id,
            frame=event.frame,
            seconds=event.seconds,
            phases=event.phases,
            outcome="backward" if event.backward else event.outcome,
            recompile=event.recompile,
            call=payment.call.index if payment else None,
            wasted=event.wasted,
            attempts=event.attempts,
            graph_ops=event.graph_ops,
            guard_count=event.guard_count,
            process=event.process,
            callable=payment.call.callable if payment else None,
            at=event.at,
        )
    return tuple(found.values())


def _slowest(explained: Explained) -> float | None:
    lost: dict[int, float] = {}
    for item in explained.recompiles:
        lost[item.process] = lost.get(item.process, 0.0) + item.seconds_lost
    return max(lost.values()) if len(lost) > 1 else None


def _unknown(explained: Explained) -> int:
    return sum(reason.kind == "unknown" for item in explained.recompiles for reason in item.reasons)


def _notices(session: Session) -> tuple[Notice, ...]:
    """One notice for each meaning, and for a hint each line: what there is to do comes first."""
    folded: dict[tuple[str, str, tuple[str, int] | None], Notice] = {}
    torch = torch_version(session.environment.torch)
    for event in session.events:
        if not isinstance(event, Warned) or covered(event):
            continue
        why, remedies = explain_notice(event.kind, event.text)
        place = event.frame if event.kind == "perf_hint" else None
        key = (event.kind, why or event.text, (place.path, place.line) if place else None)
        known = folded.get(key)
        folded[key] = Notice(
            kind=event.kind,
            text=known.text if known else event.text,
            times=event.times + (known.times if known else 0),
            why=why,
            frame=known.frame if known else event.frame,
            remedies=available(remedies, torch),
        )
    return tuple(sorted(folded.values(), key=lambda notice: (not notice.remedies, -notice.times)))
