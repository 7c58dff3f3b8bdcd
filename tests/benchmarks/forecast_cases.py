"""Forecasts from the first half of a program's calls, against what its second half recompiles.

`python tests/benchmarks/forecast_cases.py [--assume] [CASE]...` reads ../shared/cases/user. Where
the second half recompiles nothing, the forecast is made right before the last recompile. One is
foreseen where the forecast has an input that is special in the source that the diagnosis names.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compilescope.diagnose import diagnose
from compilescope.forecast.launch import Search, forecast
from compilescope.model import Called
from compilescope.probe.launcher import Run, probe

CASES = Path(__file__).parents[3] / "shared" / "cases" / "user"
SHAPES = ("03", "11", "18", "22", "36", "37", "38", "39", "45", "59")


def main(names: list[str]) -> None:
    assume = "--assume" in names
    names = [name for name in names if name != "--assume"]
    foreseen = later = graphs = failed = 0
    for folder in sorted(CASES.iterdir()):
        if folder.name[:2] not in (names or SHAPES):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            found = score(folder / "case.py", Path(scratch), assume=assume)
        hits, misses, more, errors, calls = found
        foreseen, later = foreseen + len(hits), later + len(hits) + len(misses)
        graphs, failed = graphs + more, failed + errors
        total = len(hits) + len(misses)
        line = f"{folder.name:28} {calls:4} calls  later {total:2}  foreseen {len(hits):2}"
        print(f"{line}  forecast {more:3}  missed {misses}", flush=True)
    print(f"recall {foreseen}/{later}; {graphs} graphs forecast, {failed} fail to compile")


def score(
    script: Path, scratch: Path, *, assume: bool
) -> tuple[list[str], list[str], int, int, int]:
    """What the second half recompiled for, foreseen and missed, and how much was forecast."""
    command = (sys.executable, str(script))
    whole = probe(Run(command, script.name, scratch / "whole.cscope.json", log=scratch / "log"))
    calls = sorted(
        (event for event in whole.session.events if isinstance(event, Called)),
        key=lambda call: call.at,
    )
    paid = [place for place, call in enumerate(calls) if call.compiles]
    half = min(len(calls) // 2, paid[-1]) if paid else 0
    if not half:
        return [], [], 0, 0, len(calls)
    cut = calls[half].at
    late = {name for call in calls if call.at >= cut for name in call.compiles}
    diagnosis = diagnose(whole.session)
    causes = {cause.id: cause for cause in diagnosis.causes}
    outcome = forecast(
        Run(command, script.name, scratch / "half.cscope.json", log=scratch / "log"),
        Search(budget=40, after=half, assume=assume),
    )
    found = outcome.session.forecast
    assert found is not None
    sources = {cause.source for cause in found.causes}
    sources |= {change.source for call in found.calls for change in call.changes}
    hits: list[str] = []
    misses: list[str] = []
    for item in diagnosis.recompiles:
        if item.compile_id in late and item.cause in causes:
            cause = causes[item.cause]
            (hits if cause.source in sources else misses).append(f"{cause.kind} {cause.source}")
    graphs = [call for call in found.calls if call.what == "graph"]
    if found.stopped:
        print(f"  {script.parent.name}: {found.stopped}")
    return hits, misses, len(graphs), sum(bool(call.error) for call in graphs), len(calls)


if __name__ == "__main__":
    main(sys.argv[1:])
