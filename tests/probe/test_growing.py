"""A record that is read while it grows says in the end what it says when it is read at once."""

from __future__ import annotations

import json
import lzma
import random
import struct
from pathlib import Path

from compilescope.probe.growing import GrowingSession
from compilescope.probe.session import from_raw

TRACES = Path(__file__).parents[1] / "data" / "traces"
ENTRY = struct.Struct("<IIqq")
LINES = [
    {"pid": 7, "record": "process", "wall_ns": 10**18, "clock_ns": 0},
    {"record": "torch", "version": "2.13.0"},
    {"record": "callable", "id": 0, "name": "step", "path": "/p/a.py", "line": 3},
    {"record": "entries", "kind": "calls", "file": "calls-7-0.bin"},
    *({"record": "call", "c": 0, "i": n, "t": n * 10**9 + 1, "d": 10**6} for n in range(0, 40, 5)),
]


def begun(folder):
    (folder / "trace").mkdir(parents=True)
    launch = {"pid": 7, "name": "a.py", "command": ["python", "a.py"], "at": 1.0}
    (folder / "launch.json").write_text(json.dumps(launch))
    return folder


def parts_of(folder):
    """The files of a record, whole: path to bytes."""
    calls = b"".join(ENTRY.pack(0, n, n * 10**9 + 1, 1000 + n) for n in range(40) if n % 5)
    trace = lzma.decompress((TRACES / "limit.log.xz").read_bytes())
    lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in LINES)
    return {
        folder / "agent-7.jsonl": lines.encode(),
        folder / "calls-7-0.bin": calls + bytes(2400),
        folder / "trace" / "dedicated_log_torch_trace_a.log": trace,
    }


def test_pieces_give_the_whole(tmp_path):
    folder = begun(tmp_path / "raw")
    parts, pieces = parts_of(folder), random.Random(3)
    growing = GrowingSession(folder)
    at, latest = dict.fromkeys(parts, 0), None
    while any(at[path] < len(data) for path, data in parts.items()):
        for path, data in parts.items():
            at[path] += pieces.randint(1, len(data) // 8)
            if path.suffix == ".bin":  # its space is there before its entries are
                path.write_bytes(data[: at[path]].ljust(len(data), b"\0"))
            else:
                path.write_bytes(data[: at[path]])
        latest = growing.read() or latest
    latest = growing.read() or latest
    latest = growing.read() or latest
    assert growing.read() is None, "nothing came since"
    whole = from_raw(folder)
    assert len([event for event in whole.events if type(event).__name__ == "Called"]) == 40
    assert latest.events == whole.events
    assert latest.processes == whole.processes
    assert latest.gaps == whole.gaps


def test_what_came_since_is_seen_at_once(tmp_path):
    folder = begun(tmp_path / "raw")
    parts = parts_of(folder)
    for path, data in parts.items():
        path.write_bytes(data)
    growing = GrowingSession(folder)
    first = growing.read()
    growing.read()
    assert growing.read() is None
    path = folder / "calls-7-0.bin"
    entry = ENTRY.pack(0, 41, 41 * 10**9, 5000)
    full = len(parts[path]) - 2400
    path.write_bytes(parts[path][:full] + entry + bytes(2400 - 24))
    second = growing.read()
    assert len(second.events) == len(first.events) + 1
    assert second.events == from_raw(folder).events
    assert growing.read() is None
