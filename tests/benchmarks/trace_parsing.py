"""Trace parsing beside tlparse: the same file, the same run, MB/s and peak memory of both.

    python tests/benchmarks/trace_parsing.py [--trace FILE...] [--size MIB] [--tlparse PATH]

The file is made of real traces, repeated with other compile ids until it has the size. Both tools
run as child processes; their peak memory is what the system measured. Start-up is included, and
also shown by itself for compilescope. `--tlparse` is the program of tlparse 0.4.3.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_PARSE = """
import sys
from pathlib import Path
from compilescope.logs.structured import read_trace
log = read_trace([Path(sys.argv[1])])
print(len(log.events), "events,", len(log.gaps), "gaps")
"""
_HEADER = re.compile(r"^([VIWEC]\d{4} \S+ +)\d+( .*?\] )(\{.*)$", re.DOTALL)
_STEP = 1000


def main() -> None:
    """Build the file, run both, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trace", type=Path, nargs="*", default=default_traces())
    parser.add_argument("--size", type=int, default=100, help="MiB of the file")
    parser.add_argument("--tlparse", default=shutil.which("tlparse") or "/tmp/tlparse/bin/tlparse")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "dedicated_log_torch_trace_bench.log"
        # In a child: a process starts with its parent's peak memory.
        builder = multiprocessing.get_context("spawn").Process(
            target=build, args=(trace, options.trace, options.size << 20)
        )
        builder.start()
        builder.join()
        size = trace.stat().st_size / 1e6
        print(f"{size:.0f} MB from {len(options.trace)} traces")
        ours = [[sys.executable, "-c", _PARSE, str(trace)]] * options.runs
        out = str(Path(folder) / "out")
        theirs = [[options.tlparse, str(trace), "-o", out, "--overwrite", "--no-browser"]]
        rows = {"compilescope": best(ours)}
        if Path(options.tlparse).exists():
            rows["tlparse"] = best(theirs * options.runs)
        for name, (seconds, peak) in rows.items():
            print(f"{name:13} {size / seconds:8.1f} MB/s  {seconds:6.2f} s  peak {peak:6.0f} MB")
        if len(rows) == 2:
            (our_time, our_peak), (their_time, their_peak) = rows.values()
            print(
                f"speed ratio {their_time / our_time:.1f}, memory ratio {our_peak / their_peak:.2f}"
            )
        imports = best([[sys.executable, "-c", _PARSE.rpartition("log =")[0]]] * options.runs)
        print(f"of that, start-up of compilescope: {imports[0]:.2f} s, {imports[1]:.0f} MB")


def default_traces() -> list[Path]:
    """Traces of real models where the checkout has them beside it, else the recorded ones."""
    shared = sorted((ROOT.parent / "shared/traces").glob("*.trace.log.xz"))
    return shared or sorted((ROOT / "tests/data/traces").glob("*.log.xz"))


def best(commands: list[list[str]]) -> tuple[float, float]:
    """Shortest wall time in seconds and largest peak memory in MB."""
    times, peaks = zip(*(run(command) for command in commands), strict=True)
    return min(times), max(peaks)


def run(command: list[str]) -> tuple[float, float]:
    """Wall time and peak memory of a child process."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command[0]} failed with {child.returncode}")
    return seconds, usage.ru_maxrss / 1e3


def build(target: Path, sources: list[Path], size: int) -> None:
    """Repeat `sources` with other ids, as one process's trace, until `size` bytes are written."""
    lines = [
        (number, line)
        for number, source in enumerate(sources)
        for line in lzma.decompress(source.read_bytes()).decode().split("\n")
        if line
    ]
    with target.open("w", newline="\n") as file:
        turn = 0
        while file.tell() < size:
            for number, line in lines:
                file.write(shifted(line, turn * len(sources) + number) + "\n")
            turn += 1


def shifted(line: str, turn: int) -> str:
    """A line with the frame ids and string numbers of another turn."""
    match = _HEADER.match(line)
    if match is None:
        return line
    header = json.loads(match[3])
    _shift(header, turn * _STEP)
    return f"{match[1]}4711{match[2]}{json.dumps(header)}"


def _shift(value: Any, step: int) -> None:
    if isinstance(value, list):
        for item in value:
            _shift(item, step)
    elif isinstance(value, dict):
        for key, item in value.items():
            if (key in ("frame_id", "filename") and isinstance(item, int)) and item >= 0:
                value[key] = item + step
            elif key == "str" and isinstance(item, list):
                item[1] += step
            else:
                _shift(item, step)


if __name__ == "__main__":
    main()
