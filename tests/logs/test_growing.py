"""A trace that is read while it grows says in the end what it says when it is read at once."""

from __future__ import annotations

import lzma
import random
from pathlib import Path

import pytest

from compilescope.logs.growing import GrowingTraces
from compilescope.logs.structured import read_trace
from compilescope.logs.trace_reader import TraceReader

TRACES = Path(__file__).parents[1] / "data" / "traces"


@pytest.mark.parametrize("name", ["breaks", "limit", "errors", "nothing"])
def test_pieces_give_the_whole(tmp_path, name):
    data = lzma.decompress((TRACES / f"{name}.log.xz").read_bytes())
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(b"")
    pieces = random.Random(name)
    traces, at = GrowingTraces(), 0
    while at < len(data):
        step = pieces.randint(1, max(2, len(data) // 12))
        with path.open("ab") as file:
            file.write(data[at : at + step])
        at += step
        traces.read([path])
    grown = traces.read([path])
    whole = read_trace([path])
    assert grown.events == whole.events
    assert grown.processes == whole.processes
    assert grown.environment == whole.environment
    assert grown.gaps == whole.gaps


def test_no_byte_is_read_twice(tmp_path, monkeypatch):
    data = lzma.decompress((TRACES / "limit.log.xz").read_bytes())
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    taken = []
    read = TraceReader.read

    def taking(self, source):
        taken.append(source(1 << 30))
        read(self, _once(taken[-1]))

    monkeypatch.setattr(TraceReader, "read", taking)
    traces = GrowingTraces()
    for share in (3, 2, 1):
        path.write_bytes(data[: len(data) // share])
        traces.read([path])
    events = traces.read([path]).events
    assert b"".join(taken) == data
    assert traces.read([path]).events == events
    assert b"".join(taken) == data


def test_a_record_that_is_half_written_is_left_for_later(tmp_path):
    data = lzma.decompress((TRACES / "limit.log.xz").read_bytes())
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    cut = data.index(b"\n\t", len(data) // 2) + 2
    path.write_bytes(data[:cut])
    traces = GrowingTraces()
    assert not traces.read([path]).gaps
    path.write_bytes(data)
    traces.read([path])
    assert traces.read([path]).events == read_trace([path]).events


def _once(data):
    parts = [data]
    return lambda _: parts.pop() if parts else b""
