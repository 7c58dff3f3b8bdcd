"""Steady calls and the device's times, from the agent's hand into a session."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from compilescope.probe import records

AGENT = Path(__file__).parents[2] / "compilescope" / "probe" / "agent"


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.syspath_prepend(str(AGENT))
    yield
    for name in [name for name in sys.modules if name.startswith("_compilescope_agent")]:
        del sys.modules[name]


@pytest.fixture
def record(agent, tmp_path):
    from _compilescope_agent.record import Record

    return Record(str(tmp_path))


def test_every_entry_comes_back_over_the_ends_of_its_parts(record, tmp_path):
    from _compilescope_agent.call_log import CallLog

    log = CallLog(record, "calls", b"C %d %d %d %d\n")
    for index in range(20_000):
        log.add(1, index, 1000 + index, 7)
    (found,) = records.read(tmp_path)
    assert [call.index for call in found.calls] == list(range(20_000))
    assert found.damaged == 0


def test_without_such_a_file_the_record_has_lines(record, tmp_path, monkeypatch):
    from _compilescope_agent.call_log import CallLog

    def refuse(*_arguments):
        raise OSError("no space")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    log = CallLog(record, "calls", b"C %d %d %d %d\n")
    for index in range(3):
        log.add(1, index, 1000 + index, 7)
    (found,) = records.read(tmp_path)
    assert [call.index for call in found.calls] == [0, 1, 2]


def test_a_forked_child_writes_a_file_of_its_own(record, tmp_path):
    from _compilescope_agent.call_log import CallLog

    log = CallLog(record, "calls", b"C %d %d %d %d\n")
    log.add(1, 0, 1000, 7)
    child = os.fork()
    if not child:
        record.after_fork()
        log.add(1, 1, 2000, 7)
        os._exit(0)
    os.waitpid(child, 0)
    found = {item.pid: item for item in records.read(tmp_path)}
    assert [call.index for call in found[os.getpid()].calls] == [0]
    assert [call.index for call in found[child].calls] == [1]


def test_a_torn_entry_is_told(record, tmp_path):
    from _compilescope_agent.call_log import CallLog

    log = CallLog(record, "calls", b"C %d %d %d %d\n")
    log.add(1, 0, 1000, 7)
    log.add(1, 1, 2000, 0)  # the duration is written last
    (found,) = records.read(tmp_path)
    assert (len(found.calls), found.damaged) == (1, 1)


class Event:
    """A CUDA event that is ready when the test says so."""

    ready = False
    clock = 0.0

    def __init__(self, *, enable_timing):
        self.at = 0.0

    def record(self):
        Event.clock += 2.5
        self.at = Event.clock

    def query(self):
        return Event.ready

    def elapsed_time(self, other):
        return other.at - self.at


@pytest.fixture
def cuda(monkeypatch):
    Event.ready, Event.clock = False, 0.0
    fake = SimpleNamespace(
        is_initialized=lambda: True,
        is_current_stream_capturing=lambda: False,
        current_device=lambda: 0,
        Event=Event,
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=fake))
    return fake


def test_device_time_waits_for_nothing(record, cuda, tmp_path):
    from _compilescope_agent.device_time import DeviceClock

    clock = DeviceClock(record)
    for index in range(3):
        clock.finish(clock.begin(), 1, index)
    assert not list(tmp_path.glob("device-*")), "nothing is ready, nothing is written"
    Event.ready = True
    clock.end()
    (found,) = records.read(tmp_path)
    assert found.device == {(1, 0): 2_500_000, (1, 1): 2_500_000, (1, 2): 2_500_000}


def test_no_event_goes_into_a_recording_of_the_program(record, cuda):
    from _compilescope_agent.device_time import DeviceClock

    cuda.is_current_stream_capturing = lambda: True
    assert DeviceClock(record).begin() is None


def test_work_that_never_ends_is_a_gap(record, cuda, tmp_path, monkeypatch):
    from _compilescope_agent import device_time

    monkeypatch.setattr(device_time, "_PATIENCE", 0.01)
    clock = device_time.DeviceClock(record)
    clock.finish(clock.begin(), 1, 0)
    clock.end()
    (found,) = records.read(tmp_path)
    assert "still at work on 1 calls" in found.first("missing")["why"]


def test_parts_of_one_size_are_filled_from_their_beginning(record, tmp_path, monkeypatch):
    from _compilescope_agent import call_log

    monkeypatch.setattr(call_log, "_LARGEST", call_log._FIRST)
    log = call_log.CallLog(record, "calls", b"C %d %d %d %d\n")
    for index in range(8_000):
        log.add(1, index, 1000 + index, 7)
    (found,) = records.read(tmp_path)
    assert [call.index for call in found.calls] == list(range(8_000))
    assert b"C " not in (tmp_path / f"agent-{os.getpid()}.jsonl").read_bytes()
