"""Runs the program with the forecast in it, and adds what it found to the session."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from compilescope import store
from compilescope.forecast.exposure import Scratch, exposure
from compilescope.forecast.findings import read
from compilescope.probe.launcher import Outcome, Run, probe

if TYPE_CHECKING:
    from compilescope.model import Forecast, Session

VARIABLE = "COMPILESCOPE_FORECAST"
FOLDER = "forecast"  # of the raw folder: the exploration's own record


@dataclass(frozen=True)
class Search:
    """How far to look."""

    budget: float = 120.0  # seconds
    after: int | None = None  # calls, after which the program is stopped
    memory: int = 512 << 20  # bytes of samples that are kept, and of one input that is built
    assume: tuple[str, ...] = ()  # kinds of variation that never came: "sizes", "layouts", ...
    spec: dict[str, Any] | None = None  # what arguments can be, from the user
    own_backend: bool = False  # compile with the program's backend and not only capture
    cheap: bool = False  # capture only, already when the program itself calls
    fixed: bool = True  # ask as well what of that would compile that has not varied

    @property
    def variables(self) -> dict[str, str]:
        """What tells the agent to forecast."""
        options = {
            "budget": self.budget,
            "after": self.after,
            "memory": self.memory,
            "assume": self.assume,
            "spec": self.spec,
            "own_backend": self.own_backend,
            "fixed": self.fixed,
            "cheap": self.cheap and not self.own_backend,
        }
        return {VARIABLE: json.dumps(options)}

    def proof_variables(self, prove: dict[str, Any]) -> dict[str, str]:
        """What tells the agent to hold a warm-up against the program instead."""
        options = json.loads(self.variables[VARIABLE])
        return {VARIABLE: json.dumps({**options, "cheap": not self.own_backend, "prove": prove})}


def forecast(run: Run, search: Search) -> Outcome:
    """Run a program, explore what else it would compile, and save both as one session.

    Raises:
        InputError: the session's file cannot be written.
        ProgramError: the program cannot be started.
    """
    raw = run.keep_raw or Path(tempfile.mkdtemp(prefix="compilescope-forecast-"))
    variables = {**run.variables, **search.variables}
    try:
        outcome = probe(replace(run, keep_raw=raw, variables=variables))
        session = structs.replace(outcome.session, forecast=from_raw(raw, outcome.session))
    finally:
        if run.keep_raw is None:
            shutil.rmtree(raw, ignore_errors=True)
    store.save(session, outcome.path)
    return replace(outcome, session=session)


def from_raw(raw: Path, session: Session) -> Forecast:
    """The forecast in a raw folder of `session`."""
    from compilescope.probe.session import from_raw as session_from

    folder = raw / FOLDER
    findings = read(raw, folder)
    scratch = session_from(folder) if findings.found else None
    return exposure(session, Scratch(scratch, findings))
