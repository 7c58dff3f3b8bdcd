"""Forecasts from the first half of a program's calls, against what its second half recompiles.

`python tests/benchmarks/forecast_cases.py [--assume] [CASE | FILE.py]...` reads
../shared/cases/user and the programs given. Where the second half recompiles nothing, the forecast
is made right before the last recompile. One is foreseen where the forecast has an input that is
special in the source and dimension that the diagnosis names; "fixed" counts those that are named as
what has not varied yet though a guard fixes it. Precision: each input of both kinds is brought to a
run of its own, whose graphs must not serve it.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from compilescope.diagnose import diagnose
from compilescope.diagnosis import Cause
from compilescope.forecast.launch import Search, forecast
from compilescope.forecast.proving import hold
from compilescope.model import Called, Forecast, Session
from compilescope.probe.launcher import Run, probe

CASES = Path(__file__).parents[3] / "shared" / "cases" / "user"
SHAPES = ("01", "03", "05", "07", "11", "13", "18", "22", "36", "37", "38")
# The sources of guards on modes that the forecast has words of its own for.
_MODES = {
    "global_state.default_dtype": "default dtype",
    "global_state.grad_mode": "grad mode",
    "global_state.autocast": "autocast",
}
# A file of calls has no objects of the program's own: these were held against the guards alone.
_NOT_WRITTEN = ("a subclass of Tensor", "anything else")
# Of guards that are on no size: the kinds of change that they answer.
_KINDS = {
    "stride": ("layout", "size", "tensor.stride", "shape.stride"),
    "tensor.dtype": ("dtype",),
    "tensor.type": ("dtype",),
    "requires_grad": ("mode",),
    "dispatch_key": ("mode",),
}


@dataclass
class Score:
    """What one program's second half recompiled for, and what was said before."""

    calls: int = 0
    foreseen: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    inputs: int = 0  # of the forecast
    wrong: int = 0  # of them, those that the program's graphs serve
    stopped: str = ""


def main(names: list[str]) -> None:
    assume = "--assume" in names
    names = [name for name in names if name != "--assume"]
    scores = []
    own = [Path(name).resolve() for name in names if name.endswith(".py")]
    wanted = names or SHAPES
    cases = [one / "case.py" for one in sorted(CASES.iterdir()) if one.name[:2] in wanted]
    for script in [*cases, *own]:
        with tempfile.TemporaryDirectory() as scratch:
            found = score(script, Path(scratch), assume=assume)
        scores.append(found)
        later = len(found.foreseen) + len(found.fixed) + len(found.missed)
        name = script.stem if script in own else script.parent.name
        line = f"{name:28} {found.calls:3} calls  later {later}"
        line += f"  foreseen {len(found.foreseen)}  fixed {len(found.fixed)}"
        line += f"  inputs {found.inputs:2}  wrong {found.wrong}"
        print(f"{line}  missed {found.missed} {found.stopped}", flush=True)
    foreseen, fixed, missed = (
        sum(len(getattr(one, name)) for one in scores) for name in ("foreseen", "fixed", "missed")
    )
    later = foreseen + fixed + missed
    print(f"foreseen {foreseen} of {later}, {fixed} more as what has not varied; ", end="")
    print(f"{sum(one.inputs for one in scores)} inputs, {sum(one.wrong for one in scores)} wrong")


def score(script: Path, scratch: Path, *, assume: bool) -> Score:
    """The forecast of one program, scored."""
    command = (sys.executable, str(script))
    whole = probe(Run(command, script.name, scratch / "whole.cscope.json", log=scratch / "log"))
    calls = sorted(
        (event for event in whole.session.events if isinstance(event, Called)),
        key=lambda call: call.at,
    )
    found = Score(len(calls))
    paid = [place for place, call in enumerate(calls) if call.compiles]
    half = min(len(calls) // 2, paid[-1]) if paid else 0
    if not half:
        return found
    late = {name for call in calls[half:] for name in call.compiles}
    run = Run(command, script.name, scratch / "half.cscope.json", log=scratch / "log")
    search = Search(budget=60, after=half, assume=("sizes", "layouts") if assume else ())
    session = forecast(run, search).session
    assert session.forecast is not None
    found.stopped = session.forecast.stopped
    _compare(whole.session, late, session.forecast, found)
    _confirm(run, search, session, found)
    return found


def _compare(whole: Session, late: set[str], made: Forecast, found: Score) -> None:
    diagnosis = diagnose(whole)
    causes = {cause.id: cause for cause in diagnosis.causes}
    counted = _special(made, "graph")
    counted |= {(cause.kind, cause.source, cause.dimension) for cause in made.causes}
    named = _special(made, "assumed")
    for item in diagnosis.recompiles:
        if item.compile_id in late and item.cause in causes:
            cause: Cause = causes[item.cause]
            text = f"{cause.kind} {cause.source}"
            if _is_among(cause, counted):
                found.foreseen.append(text)
            else:
                (found.fixed if _is_among(cause, named) else found.missed).append(text)


def _special(made: Forecast, what: str) -> set[tuple[str, str, int | None]]:
    return {
        (change.kind, change.source, change.dimension)
        for call in made.calls
        if call.what == what
        for change in call.changes
    }


def _is_among(cause: Cause, special: set[tuple[str, str, int | None]]) -> bool:
    """Whether an input was special in what the guard is on."""
    source = _MODES.get(cause.kind, cause.source)
    kinds = next((kinds for end, kinds in _KINDS.items() if cause.kind.endswith(end)), None)
    if kinds:
        wanted = (*kinds, cause.kind)
        return any(one == source and kind in wanted for kind, one, _ in special)
    places = (cause.dimension,) if cause.kind == "tensor.size" else (None, cause.dimension)
    return any(
        # A cause of several dimensions has none of its own.
        one == source and (dimension in places or (kind == cause.kind and dimension is None))
        for kind, one, dimension in special
    )


def _confirm(run: Run, search: Search, session: Session, found: Score) -> None:
    made = session.forecast
    assert made is not None
    graphs = {
        place
        for place, call in enumerate(made.calls)
        if call.what in ("graph", "assumed")
        and not call.repeat
        and not call.error
        and not any(change.value in _NOT_WRITTEN for change in call.changes)
    }
    found.inputs = len(graphs)
    if graphs:
        findings = hold(run, search, session, warm=False, fixed=True)
        left = {place for note in findings.proofs.values() for place in note["left"]}
        found.wrong = len(graphs - left)


if __name__ == "__main__":
    main(sys.argv[1:])
