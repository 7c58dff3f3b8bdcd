"""Probes every program of this folder and the graph network at full size, on a GPU.

    python tests/gpu/run.py OUT        # leaves OUT/<name>.cscope.json.gz and OUT/summary.txt

compilescope must be importable in this interpreter, which must have torch with CUDA, transformers
and torch_geometric. It takes under nine minutes on an H200.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
GRAPH_NET = HERE.parent / "workloads" / "graph_net.py"
FULL_SIZE = ["--backend", "inductor", "--layers", "16", "--hidden", "768"]
ROWS = ["--rows-min", "1000", "--rows-max", "4000"]


def main() -> None:
    """Run them one after the other; a failure of one does not stop the others."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    programs = {path.stem: [str(path)] for path in sorted((HERE / "programs").glob("*.py"))}
    programs["graph_net"] = [str(GRAPH_NET), *FULL_SIZE, *ROWS]
    with (out / "summary.txt").open("w") as summary:
        for name, command in programs.items():
            began = time.perf_counter()
            session = out / f"{name}.cscope.json.gz"
            probe = [sys.executable, "-m", "compilescope", "probe", "-o", str(session), *command]
            done = subprocess.run(probe, capture_output=True, text=True, check=False)
            show = [sys.executable, "-m", "compilescope", "show", str(session)]
            shown = subprocess.run(show, capture_output=True, text=True, check=False)
            took = time.perf_counter() - began
            text = f"== {name}: exit {done.returncode}, {took:.0f} s\n"
            text += "\n".join(done.stderr.splitlines()[-6:]) + "\n" + shown.stdout + shown.stderr
            print(text, flush=True)
            summary.write(text + "\n")


if __name__ == "__main__":
    main()
