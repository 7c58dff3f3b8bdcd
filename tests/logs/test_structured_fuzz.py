"""Damaged traces: whatever happened to the bytes, the answer is a log or an InputError."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compilescope.errors import InputError
from compilescope.logs.structured import read_trace

DATA = Path(__file__).parents[1] / "data/traces"
# Without the configuration in the metrics, so that mutations hit what matters.
LONGEST = 3000
TRACES = [
    b"\n".join(
        line[:LONGEST] + (b'"}}' if len(line) > LONGEST and line[:1] == b"V" else line[LONGEST:])
        for line in lzma.decompress((DATA / f"{name}.log.xz").read_bytes()).split(b"\n")
        if b"chromium" not in line
    )
    for name in ("limit", "breaks", "errors", "symbols")
]


@st.composite
def mutated(draw):
    data = draw(st.sampled_from(TRACES))
    for _ in range(draw(st.integers(1, 8))):
        data = mutate(draw, data)
    return data


def mutate(draw, data):
    what = draw(st.sampled_from(["flip", "delete", "insert", "cut", "drop", "double", "swap"]))
    if what in ("drop", "double", "swap"):
        lines = data.split(b"\n")
        first = draw(st.integers(0, len(lines) - 1))
        second = draw(st.integers(0, len(lines) - 1))
        if what == "drop":
            del lines[first]
        elif what == "double":
            lines.insert(second, lines[first])
        else:
            lines[first], lines[second] = lines[second], lines[first]
        return b"\n".join(lines)
    at = draw(st.integers(0, len(data)))
    if what == "cut":
        return data[:at]
    if what == "delete":
        return data[:at] + data[at + draw(st.integers(1, 300)) :]
    extra = draw(st.binary(min_size=1, max_size=20))
    return data[:at] + extra + data[at + (len(extra) if what == "flip" else 0) :]


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
@given(data=mutated())
def test_damage_never_raises_anything_else(tmp_path, data):
    path = tmp_path / "trace.log"
    path.write_bytes(data)
    try:
        log = read_trace([path])
    except InputError:
        return
    for gap in log.gaps:
        assert gap.share is None or 0 <= gap.share <= 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"str": ["a", 99999999999999999999999999]}',
        b'{"str": null}',
        b'{"dynamo_start": {"stack": [{"line": 1e400, "filename": 0}]}, "frame_id": 0}',
        b'{"dynamo_start": null, "frame_id": 0, "frame_compile_id": 0}',
        b'{"compilation_metrics": {"start_time": 1e308, "duration_us": 1e308}, "frame_id": 0}',
        b'{"compilation_metrics": {"dynamo_config": "{}{"}, "frame_id": 0}',
        b'{"compilation_metrics": {"dynamo_config": 3}, "frame_id": 0}',
        b'{"artifact": {"name": "recompile_reasons"}, "frame_id": -1, "frame_compile_id": 7}',
        b'{"artifact": null, "frame_id": 0}',
        b'{"create_symbol": {"symbol": "\\ud800"}}',
        b'{"a": ' + b"[" * 100_000,
        b'{"compilation_metrics": {"a": ' + b"[" * 100_000,
    ],
)
def test_strange_headers(tmp_path, line):
    path = tmp_path / "trace.log"
    path.write_bytes(b"V1399 99:99:99.9 99 a.py:1] " + line + b"\n" + TRACES[0])
    assert read_trace([path]).events
