"""What the probe costs: a whole process with and without it, and a steady call in microseconds.

python tests/benchmarks/probe_overhead.py [--pairs 5] [--calls 20000] [--requests 190]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
STEADY = """
import sys, time, torch

def trivial(x):
    return x + 1

compiled = torch.compile(trivial, backend="eager")
x = torch.ones(4)
for _ in range(200):
    compiled(x)
calls = int(sys.argv[1])
began = time.perf_counter()
for _ in range(calls):
    compiled(x)
print((time.perf_counter() - began) / calls * 1e6)
"""


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        steady = Path(folder, "steady.py")
        steady.write_text(STEADY, encoding="utf-8")
        session = Path(folder, "session.cscope.json.gz")
        probe = [sys.executable, "-m", "compilescope", "probe", "-q", "-o", str(session)]
        plain = [sys.executable]
        program = [
            str(TESTS / "workloads" / "graph_net.py"),
            "--backend=eager",
            f"--requests={arguments.requests}",
        ]
        calls = [str(steady), str(arguments.calls)]
        ratios, added = [], []
        for pair in range(arguments.pairs):
            without, _ = _timed([*plain, *program])
            probed, _ = _timed([*probe, *program])
            ratios.append(probed / without)
            bare = float(_timed([*plain, *calls])[1])
            watched = float(_timed([*probe, *calls])[1])
            added.append(watched - bare)
            print(
                f"pair {pair + 1}: process {without:.2f} s, probed {probed:.2f} s,"
                f" ratio {probed / without:.3f}; call {bare:.2f} us, probed {watched:.2f} us,"
                f" ratio {watched / bare:.2f}"
            )
    micro = statistics.median(added)
    print(f"whole process, median of {len(ratios)} ratios: {statistics.median(ratios):.3f}")
    print(f"steady call, median added: {micro:.2f} us, {micro / 5000:.2%} of a call of 5 ms")


def _timed(command: list[str]) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - began, done.stdout


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=190)
    return parser.parse_args()


if __name__ == "__main__":
    main()
