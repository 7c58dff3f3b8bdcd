"""How many avoidable recompiles of the user cases the first proved remedy removes.

    python tests/benchmarks/tune_cases.py [--budget RUNS] [CASE...]

Reads ../shared/cases/user beside the checkout. A case counts as solved by the overlay when the best
trial keeps no more recompiles than the best known fix does; and as solved by a source change when a
run of the changed source, which `tune` wrote, keeps no more either.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from compilescope.tune.run import Plan, tune

CASES = Path(__file__).parents[3] / "shared" / "cases" / "user"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    rows = [
        _row(folder, arguments.budget, arguments.minutes)
        for folder in sorted(CASES.iterdir())
        if _recompiles(folder) and (not arguments.cases or folder.name in arguments.cases)
    ]
    avoidable = sum(row["before"] - row["kept"] for row in rows)
    for name in ("overlay", "steady", "source"):
        removed = sum(
            max(0, row["before"] - max(row[name], row["kept"]))
            for row in rows
            if row[name] is not None
        )
        whole = sum(row[name] is not None and row[name] <= row["kept"] for row in rows)
        print(
            f"{name}: {whole} of {len(rows)} cases,"
            f" {removed} of {avoidable} avoidable recompiles ({removed / max(1, avoidable):.0%})"
        )


def _truth(folder: Path) -> dict:
    return json.loads((folder / "meta.json").read_text())["truth"]


def _recompiles(folder: Path) -> bool:
    truth = _truth(folder) if (folder / "meta.json").exists() else {}
    return truth.get("recompiles", 0) > truth.get("unavoidable_recompiles", 0)


def _row(folder: Path, budget: int, minutes: float) -> dict:
    began = time.monotonic()
    kept = _truth(folder)["unavoidable_recompiles"]
    command = (sys.executable, str(folder / "case.py"))
    plan = Plan(command, folder.name, budget, minutes, quiet=True)
    found, _ = tune(plan)
    best = next((one for one in found.trials if one.number == found.best), None)
    without = [one for one in found.trials if one.measures.warm_up == 0
               and one.outcome in ("solved", "better")]  # fmt: skip
    before = found.baseline.measures.recompiles
    overlay = best.measures.recompiles if best else before
    steady = min((one.measures.recompiles for one in without), default=before)
    patch = found.patch
    source = patch.measures.recompiles if patch and patch.verified and patch.measures else None
    words = ", ".join(one.text for one in best.remedies) if best else "nothing"
    print(
        f"{folder.name}: {before} -> {overlay} (without warm-up {steady}, source {source},"
        f" unavoidable {kept}); breaks {found.baseline.measures.breaks} ->"
        f" {best.measures.breaks if best else '-'}; {words}; {len(found.trials)} trials,"
        f" {time.monotonic() - began:.0f} s",
        flush=True,
    )
    for trial in found.trials:
        if trial.outcome in ("wrong", "failed", "refused"):
            words = ", ".join(one.text for one in trial.remedies)
            print(f"    {trial.outcome}: {words}: {trial.why}", flush=True)
    return {"before": before, "overlay": overlay, "steady": steady, "source": source, "kept": kept}


if __name__ == "__main__":
    main()
