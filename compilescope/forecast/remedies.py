"""Which remedies shrink the exposure: planned from its causes, tried by forecasting under them."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.model import ForecastRemedy
from compilescope.tune.plan import candidates
from compilescope.tune.remedy import Candidate, applied, overlay
from compilescope.tune.situation import Situation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.diagnosis import Diagnosis
    from compilescope.forecast.launch import Search
    from compilescope.model import Forecast, Session
    from compilescope.probe.launcher import Run

_MOST = 4  # runs
_DEPTH = 3  # alternatives for each cause
OVERLAY = "COMPILESCOPE_OVERLAY"


def planned(session: Session, diagnosis: Diagnosis, causes: set[str]) -> tuple[ForecastRemedy, ...]:
    """Sets of remedies worth trying for `causes`, none of them tried.

    Args:
        session: The run with the exploration's compiles in it.
        diagnosis: Of that session.
        causes: The ids of those that the exploration met.
    """
    plans = [
        candidates(Situation(cause, session, diagnosis))
        for cause in diagnosis.causes
        if cause.id in causes
    ]
    found: dict[str, ForecastRemedy] = {}
    for chosen in _sets([plan for plan in plans if plan]):
        changes = json.dumps(overlay(chosen), sort_keys=True)
        if changes not in found and len(found) < _MOST:
            shown = applied(chosen)
            found[changes] = ForecastRemedy(
                ids=tuple(dict.fromkeys(one.id for one in shown)),
                text=_text(chosen),
                graphs=None,
                price="; ".join(dict.fromkeys(one.price for one in shown if one.price)),
                changes=changes,
            )
    return tuple(found.values())


def _sets(plans: list[list[Candidate]]) -> Iterator[tuple[Candidate, ...]]:
    if not plans:
        return
    # Marks on everything that varies settle most causes of sizes at once.
    for plan in plans:
        for candidate in plan:
            if candidate.id == "mark_unbacked" and len(candidate.entries) > 1:
                configured = [one for one in candidate.entries if one.section == "config"]
                if configured:
                    yield (candidate,)
    for depth in range(_DEPTH):
        yield tuple(plan[min(depth, len(plan) - 1)] for plan in plans)


def _text(chosen: tuple[Candidate, ...]) -> str:
    """What is done, each mark once: `mark_unbacked(x, 0), use_duck_shape = False`."""
    parts: dict[str, None] = {}
    for candidate in chosen:
        for part in candidate.text.split("), "):
            closed = part if part.endswith(")") or "(" not in part else f"{part})"
            parts[closed] = None
    return ", ".join(parts)


def try_remedies(run: Run, search: Search, session: Session) -> Session:
    """Forecast `session`'s program again under each set; the session with what is left.

    Raises:
        ProgramError: the program cannot be started.
    """
    forecast = session.forecast
    assert forecast is not None
    tried: list[ForecastRemedy] = []
    for remedy in forecast.remedies:
        print(f"compilescope: forecast with {remedy.text}", file=sys.stderr)
        tried.append(_tried(run, search, remedy))
        if _is_enough(tried[-1]):
            break
    left = forecast.remedies[len(tried) :]
    ordered = sorted(tried, key=lambda one: (one.graphs is None, one.graphs or 0, len(one.text)))
    return structs.replace(session, forecast=structs.replace(forecast, remedies=(*ordered, *left)))


def _is_enough(tried: ForecastRemedy) -> bool:
    """Whether nothing is left, or only strides of empty tensors, which no mark is about."""
    return tried.graphs is not None and all(text.endswith("strides") for text in tried.left)


def _tried(run: Run, search: Search, remedy: ForecastRemedy) -> ForecastRemedy:
    from compilescope.forecast.launch import forecast
    from compilescope.tune.measure import read_notes

    folder = Path(tempfile.mkdtemp(prefix="compilescope-remedy-"))
    try:
        path = folder / "overlay.json"
        path.write_text(remedy.changes, encoding="utf-8")
        outcome = forecast(
            replace(
                run,
                output=folder / "remedy.cscope.json",
                keep_raw=folder / "raw",
                log=folder / "log",
                variables={**run.variables, OVERLAY: str(path)},
            ),
            replace(search, cheap=True, fixed=False),
        )
        refused = read_notes(folder / "raw").refused
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = outcome.session.forecast
    if outcome.code:
        why = f"the program ended with exit code {outcome.code}"
    elif refused:
        why = refused[0]
    elif found is None or not found.callables:
        why = found.stopped if found is not None else "nothing was explored"
    else:
        return structs.replace(remedy, graphs=_graphs(found), left=_left(found))
    return structs.replace(remedy, why=why)


def _graphs(forecast: Forecast) -> int:
    return sum(call.graphs for call in forecast.calls if call.what == "graph")


def _left(forecast: Forecast) -> tuple[str, ...]:
    from compilescope.forecast.naming import named

    return tuple(dict.fromkeys(named(cause) for cause in forecast.causes))
