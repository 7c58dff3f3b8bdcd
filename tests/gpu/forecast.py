"""The forecast's promise on a GPU: after the emitted warm-up, 190 requests compile nothing.

    python tests/gpu/forecast.py OUT [--layers 8] [--backend inductor]

The graph network is recorded after three requests, forecast, and served behind the warm-up file,
with inductor. Leaves OUT/forecast.json with the figures, OUT/warmup.py and the session. The spec
says that a count of rows is zero or between the program's bounds, as those who serve it know.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORKLOADS = HERE.parent / "workloads"
ROWS = ("x", "context", "local_edge_scale", "cross_edge_scale")
EDGES = ("local_edge_index", "cross_edge_index")


def main() -> None:
    """Forecast, then serve behind the warm-up; the figures go to OUT/forecast.json."""
    given = _arguments()
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"layers": given.layers, "hidden": given.hidden}
    began = time.perf_counter()
    try:
        figures["forecast"] = _forecast(given, out)
        figures["served"] = _served(given, out)
    finally:
        figures["seconds"] = round(time.perf_counter() - began, 1)
        text = json.dumps(figures, indent=1)
        (out / "forecast.json").write_text(text + "\n")
        print(text)


def _forecast(given: argparse.Namespace, out: Path) -> dict[str, Any]:
    count = f"0|{given.rows_min}..{given.rows_max}"
    spec = "".join(f'[arguments.{name}]\nshape = ["{count}", "*"]\n' for name in ROWS)
    spec += "".join(f'[arguments.{name}]\nshape = ["*", "{count}"]\n' for name in EDGES)
    (out / "spec.toml").write_text(spec)
    session = out / "forecast.cscope.json.gz"
    command = [
        sys.executable, "-m", "compilescope", "forecast", "-o", str(session), "--spec",
        str(out / "spec.toml"), "--budget", str(given.budget), "--no-prove", "--emit",
        str(out / "warmup.py"), str(WORKLOADS / "graph_net.py"), "--requests", "3",
        "--backend", given.backend, "--layers", str(given.layers), "--hidden", str(given.hidden),
        "--rows-min", str(given.rows_min), "--rows-max", str(given.rows_max),
    ]  # fmt: skip
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (out / "forecast.txt").write_text(done.stdout + done.stderr)
    if done.returncode:
        return {"exit code": done.returncode, "error": done.stderr[-2000:]}
    from compilescope import store

    recorded = store.load(session)
    found = recorded.forecast
    assert found is not None
    return {
        "torch": recorded.environment.torch,
        "devices": list(recorded.environment.devices),
        "graphs": sum(call.graphs for call in found.calls if call.what == "graph"),
        "tried": sum(target.tried for target in found.callables),
        "cut": any(target.cut for target in found.callables),
        "stopped": found.stopped,
        "calls of the warm-up": len(found.warmup.calls) if found.warmup else None,
        "seconds": round(time.perf_counter() - began, 1),
    }


def _served(given: argparse.Namespace, out: Path) -> dict[str, Any]:
    options = {key: getattr(given, key) for key in ("layers", "hidden", "rows_min", "rows_max",
               "backend", "requests")}  # fmt: skip
    command = [sys.executable, str(Path(__file__)), str(out), "--serve", json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"exit code": done.returncode, "error": done.stderr[-2000:]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def serve(out: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The requests behind the warm-up, in this process: which of them compiled, and how long."""
    sys.path[:0] = [str(WORKLOADS), str(out)]
    import graph_net  # type: ignore[import-not-found]
    import torch
    from warmup import warm_up  # type: ignore[import-not-found]

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    model = graph_net.GraphNet(options["layers"], options["hidden"]).eval().to(device)
    compiled = torch.compile(model, dynamic=True, fullgraph=True, backend=options["backend"])
    requests = graph_net.Requests(options["rows_min"], options["rows_max"], device, 0)
    inputs = [requests.inputs(number) for number in range(options["requests"])]
    stats = torch._dynamo.utils.counters["stats"]
    began = time.perf_counter()
    with torch.no_grad():
        warm_up(compiled, *inputs[0])
        warm = time.perf_counter() - began
        graphs, late, seconds = stats["unique_graphs"], [], []
        for number, each in enumerate(inputs):
            before, started = stats["unique_graphs"], time.perf_counter()
            compiled(*each).sum().item()
            seconds.append(time.perf_counter() - started)
            if stats["unique_graphs"] != before:
                late.append(number)
    return {
        "warm-up seconds": round(warm, 1),
        "graphs of the warm-up": graphs,
        "requests": len(inputs),
        "recompiles": len(late),
        "recompiled at": late,
        "median ms": round(sorted(seconds)[len(seconds) // 2] * 1e3, 2),
        "slowest ms": round(max(seconds) * 1e3, 1),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--rows-min", type=int, default=1000)
    parser.add_argument("--rows-max", type=int, default=4000)
    parser.add_argument("--requests", type=int, default=190)
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--budget", type=int, default=45)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        print(json.dumps(serve(given.out, json.loads(given.serve))))
        sys.exit()
    return given


if __name__ == "__main__":
    main()
