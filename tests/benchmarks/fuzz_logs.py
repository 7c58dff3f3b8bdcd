"""Reads mutated logs by the ten thousand; any exception but InputError is a defect.

python tests/benchmarks/fuzz_logs.py [--count 50000] [--seed 0]
"""

from __future__ import annotations

import argparse
import lzma
import random
import tempfile
import time
import traceback
from pathlib import Path

from compilescope.errors import InputError
from compilescope.logs.structured import read_trace
from compilescope.logs.text import read_text

DATA = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[3] / "shared" / "cases" / "guards"
MOST = 6000  # bytes of an input: the rarest path is as near in a short one


def inputs():
    """Text logs and traces: those recorded here, and the shared cases where present."""
    paths = sorted(DATA.glob("logs/*.txt")) + sorted(SHARED.glob("*/torch_logs.txt"))
    texts = [path.read_bytes() for path in paths]
    paths = sorted(DATA.rglob("*.trace.log.xz")) + sorted(SHARED.glob("*/trace.log.xz"))[::8]
    traces = [lzma.decompress(path.read_bytes()) for path in paths]
    return texts, traces


def mutated(data, chance):
    """`data` cut to a window, with bytes flipped and lines dropped, doubled, swapped, cut."""
    if len(data) > MOST:
        start = chance.randrange(len(data) - MOST)
        start = data.rfind(b"\n", 0, start) + 1
        data = data[start : start + MOST]
    lines = data.split(b"\n")
    for _ in range(chance.randrange(6)):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        action = chance.randrange(5)
        if action == 0:
            lines.insert(at, lines[at])
        elif action == 1 and len(lines) > 1:
            del lines[at]
        elif action == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif action == 3:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        else:
            lines[at] = lines[at][chance.randrange(len(lines[at]) + 1) :]
    changed = bytearray(b"\n".join(lines))
    for _ in range(chance.choice((0, 1, 3, 20))):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def main():
    """Run, print each distinct failure once, and exit with 1 if there was one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    texts, traces = inputs()
    failures: dict[str, int] = {}
    began = time.perf_counter()
    read = {"text": 0, "trace": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.log")
        for number in range(options.count):
            kind = "trace" if traces and number % 5 == 4 else "text"
            data = mutated(chance.choice(traces if kind == "trace" else texts), chance)
            try:
                read[kind] += 1
                if kind == "text":
                    read_text(data.split(b"\n"), changed=1e9)
                else:
                    path.write_bytes(data)
                    read_trace([path])
            except InputError:
                read["refused"] += 1
            except Exception:  # noqa: BLE001 - any is what is looked for
                text = traceback.format_exc(limit=-3)
                if text not in failures:
                    print(f"{kind} {number}\n{text}")
                failures[text] = failures.get(text, 0) + 1
    seconds = time.perf_counter() - began
    print(f"{options.count:,} inputs (seed {options.seed}): {read}, {seconds:.0f} s")
    print(f"{sum(failures.values())} exceptions, {len(failures)} distinct")
    raise SystemExit(bool(failures))


if __name__ == "__main__":
    main()
