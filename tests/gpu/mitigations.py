"""The figures of the mitigations on the graph network at full size: one part, one process each.

    python tests/gpu/mitigations.py OUT              # all parts, OUT/<part>.json and OUT/figures.md
    python tests/gpu/mitigations.py OUT --only NAME  # one part, in this process
    python tests/gpu/mitigations.py OUT --jobs 4     # several parts at a time

Each part compiles into a cache folder of its own. A part that fails leaves OUT/<part>.json with its
traceback, and the others go on. Small, for a CPU: --layers 2 --hidden 16 --rows-min 8 --rows-max 40
--requests 30.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "workloads"), str(HERE.parents[1])]

from mitigation_parts import PARTS  # noqa: E402


def main() -> None:
    arguments = _arguments()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    if arguments.only:
        _one(arguments.only, arguments, out)
        return
    names = list(PARTS)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda name: _child(name, out, arguments.limit), names))
    _table(names, out)


def _child(name, out, limit):
    command = [sys.executable, __file__, *sys.argv[1:], "--only", name]
    with (out / f"{name}.log").open("wb") as log:
        try:
            subprocess.run(command, stdout=log, stderr=log, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            if not (out / f"{name}.json").exists():
                _write(out, name, {"error": f"not done after {limit} s"})


def _one(name, arguments, out):
    folder = tempfile.mkdtemp(prefix=f"mitigations-{name}-")
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    began = time.perf_counter()
    try:
        found = PARTS[name](arguments, out)
    except Exception:  # noqa: BLE001  the others go on
        found = {"error": traceback.format_exc()}
    _write(out, name, {**found, "part_seconds": time.perf_counter() - began})
    shutil.rmtree(folder, ignore_errors=True)


def _write(out, name, found):
    whole = out / f".{name}.part"
    whole.write_text(json.dumps(found, indent=1))
    whole.replace(out / f"{name}.json")


def _table(names, out):
    rows = [
        "| part | mean ms | median ms | worst ms | compiles | while compiling: mean, worst ms |"
    ]
    rows.append("|---|---|---|---|---|---|")
    for name in names:
        path = out / f"{name}.json"
        found = json.loads(path.read_text()) if path.exists() else {"error": "no result"}
        if "error" in found:
            rows.append(f"| {name} | failed: {found['error'].strip().splitlines()[-1]} |||||")
            continue
        busy = found.get("busy")
        during = f"{busy['mean']:.1f}, {busy['worst']:.1f} ({busy['calls']})" if busy else ""
        numbers = (found[key] for key in ("mean", "median", "worst"))
        shown = " | ".join(f"{number:.2f}" for number in numbers)
        rows.append(f"| {name} | {shown} | {found['compiles']} | {during} |")
    text = "\n".join(rows)
    (out / "figures.md").write_text(text + "\n")
    print(text)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--only", choices=sorted(PARTS))
    parser.add_argument("--jobs", type=int, default=1, help="parts at a time; they share the GPU")
    parser.add_argument("--nice", type=int, help="of the background compile; its own by default")
    parser.add_argument("--limit", type=int, default=280, help="seconds for one part")
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--rows-min", type=int, default=1000)
    parser.add_argument("--rows-max", type=int, default=4000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--device", default="")
    parser.add_argument("--backend", default="inductor")
    return parser.parse_args()


if __name__ == "__main__":
    main()
