"""Holds a warm-up against a run of the program: what still compiles after it."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from compilescope.forecast.findings import Findings, read
from compilescope.forecast.launch import FOLDER
from compilescope.forecast.order import ordered
from compilescope.forecast.warmup import functions, warmup
from compilescope.model import Called, ForecastWarmup
from compilescope.probe.launcher import Run, probe

if TYPE_CHECKING:
    from compilescope.forecast.launch import Search
    from compilescope.model import Forecast, Session


def prove(run: Run, search: Search, session: Session) -> Session:
    """Run the program of `session` once more behind its warm-up; the session with what it showed.

    Raises:
        ProgramError: the program cannot be started.
    """
    forecast = session.forecast
    if forecast is None or forecast.warmup is None or not forecast.warmup.calls:
        return session
    findings = hold(run, search, session)
    return structs.replace(session, forecast=_concluded(forecast, findings))


def hold(
    run: Run, search: Search, session: Session, *, warm: bool = True, fixed: bool = False
) -> Findings:
    """What a run behind the warm-up, or without one, compiles; then of all that was foreseen.

    Args:
        run: The program.
        search: How it was explored.
        session: With the forecast.
        warm: Whether the warm-up runs first.
        fixed: Whether inputs are called, too, that vary what has not varied.
    """
    folder = Path(tempfile.mkdtemp(prefix="compilescope-warmup-"))
    try:
        options = _written(folder, session, warm=warm, fixed=fixed)
        raw = folder / "raw"
        probe(
            replace(
                run,
                output=folder / "proof.cscope.json",
                keep_raw=raw,
                variables={**run.variables, **search.proof_variables(options)},
                log=folder / "log",
            )
        )
        return read(raw, raw / FOLDER)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _written(folder: Path, session: Session, *, warm: bool, fixed: bool) -> dict[str, Any]:
    """The warm-up and a file of all calls, and how the agent finds them."""
    forecast = session.forecast
    assert forecast is not None
    numbers = range(len(session.callables))
    every = {number: ordered(forecast.calls, number, fixed=fixed) for number in numbers}
    places = tuple(place for number in sorted(every) for place in every[number])
    whole = structs.replace(
        session, forecast=structs.replace(forecast, warmup=ForecastWarmup(calls=places))
    )
    file, check = folder / "warmup.py", folder / "every_input.py"
    file.write_text(warmup(session), encoding="utf-8")
    check.write_text(warmup(whole), encoding="utf-8")
    constants = {one.callable: one.constant for one in functions(whole)}
    return {
        "file": str(file),
        "all": str(check),
        "functions": {
            str(_number(session, one.callable)): {
                "function": one.name if warm else "",
                "constant": constants[one.callable],
                "places": every[one.callable],
                "built_from": [forecast.calls[place].call for place in every[one.callable]],
            }
            for one in functions(session)
        },
    }


def _number(session: Session, place: int) -> int:
    """The agent's number of a callable: it counts those of its own process."""
    process = session.callables[place].process
    called = {
        event.callable
        for event in session.events
        if isinstance(event, Called) and event.process == process
    }
    return sorted(called).index(place) if place in called else place


def _concluded(forecast: Forecast, findings: Findings) -> Forecast:
    warm = forecast.warmup
    assert warm is not None
    if not findings.finished or not findings.proofs:
        return forecast
    left = {place for note in findings.proofs.values() for place in note.get("left", ())}
    late = sum(len(note.get("late", ())) for note in findings.proofs.values())
    proved = set(findings.proofs)
    calls = tuple(
        structs.replace(
            call,
            covered=place not in left
            if call.callable in proved and call.what != "assumed" and not call.repeat
            else None,
        )
        for place, call in enumerate(forecast.calls)
    )
    causes = tuple(
        structs.replace(cause, covered=_covered(cause.id, calls)) for cause in forecast.causes
    )
    errors = [note["error"] for note in findings.proofs.values() if "error" in note]
    return structs.replace(
        forecast,
        calls=calls,
        causes=causes,
        warmup=structs.replace(
            warm, left=None if errors else len(left) + late, error=next(iter(errors), "")
        ),
    )


def _covered(cause: str, calls: Any) -> bool | None:
    found = [call.covered for call in calls if cause in call.causes]
    return None if None in found or not found else all(found)
