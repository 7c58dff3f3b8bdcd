"""The Chrome trace: whole, in order, and nothing laid over another."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.model import Called, Compiled, Process
from compilescope.packs import report

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
NAMES = ["shapes", "breaks", "limit", "ints", "clean", "nothing", "failed"]


def session(name):
    return store.load(SESSIONS / f"{name}.cscope.json.gz")


def trace(found):
    return json.loads(report("perfetto")(diagnose(found)))


def slices(content, category):
    return [e for e in content["traceEvents"] if e["ph"] == "X" and category in e["cat"]]


@pytest.mark.parametrize("name", NAMES)
def test_every_event_is_one_that_viewers_read(name):
    content = trace(session(name))
    for event in content["traceEvents"]:
        assert event["ph"] in {"M", "X", "C", "i"}
        assert isinstance(event["pid"], int)
        assert event["ph"] == "C" or isinstance(event["tid"], int)
        assert event["ph"] == "M" or event["ts"] >= 0
        assert event["ph"] != "X" or event["dur"] >= 0
    assert content["otherData"]["verdict"] == diagnose(session(name)).verdict


@pytest.mark.parametrize("name", NAMES)
def test_calls_compiles_and_causes_are_all_there(name):
    found = diagnose(session(name))
    content = trace(session(name))
    assert len(slices(content, "call,")) == found.counts.calls
    assert len(slices(content, "compile,")) == len(found.compiles)
    marks = [e for e in content["traceEvents"] if e["ph"] == "i"]
    assert sum("cause," in e["cat"] for e in marks) == len(found.recompiles)
    breaks = {e["args"]["why"] for e in marks if e["cat"] == "break"}
    assert breaks == {item.why for item in found.graph_breaks}
    counted = [e["args"]["graphs"] for e in content["traceEvents"] if e["ph"] == "C"]
    assert counted == list(range(1, found.counts.compiles + 1))


def test_a_compile_lies_in_the_call_that_paid_for_it():
    content = trace(session("shapes"))
    calls = {e["args"]["call"]: e for e in slices(content, "call,")}
    compiles = slices(content, "compile,")
    assert compiles
    for event in compiles:
        call = calls[event["args"]["call"]]
        # The trace's clock has milliseconds, the agent's nanoseconds.
        assert call["ts"] - 2000 <= event["ts"]
        assert event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 2000
        assert "compiled" in call["cat"]


def test_a_cause_says_why_where_and_what_to_do():
    first = next(
        e
        for e in trace(session("shapes"))["traceEvents"]
        if e["ph"] == "i" and e["name"][:2] == "A:"
    )
    assert first["args"]["why"].startswith("`mask` had 2 dimensions")
    assert first["args"]["where"].endswith("shapes.py:11 in forward")
    assert "mask = mask.unsqueeze(0)" in first["args"]["fix"]


def test_calls_at_the_same_time_lie_beside_each_other():
    clean = session("clean")
    call = next(e for e in clean.events if isinstance(e, Called))
    twin = msgspec.structs.replace(call, index=99, thread=1, at=call.at + call.seconds / 2)
    content = trace(msgspec.structs.replace(clean, events=(*clean.events, twin)))
    tracks = defaultdict(list)
    for event in slices(content, ""):
        tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for spans in tracks.values():
        spans.sort()
        assert all(one[1] <= other[0] + 0.01 for one, other in pairwise(spans))
    assert len({tid for _, tid in tracks if tid >= 10}) == 2


def test_ranks_are_processes_of_their_own():
    clean = session("clean")
    other = tuple(
        msgspec.structs.replace(e, process=1)
        for e in clean.events
        if isinstance(e, Compiled | Called)
    )
    both = msgspec.structs.replace(
        clean,
        events=(*clean.events, *other),
        processes=(*clean.processes, Process(pid=77, rank=1)),
    )
    names = {e["pid"]: e["args"]["name"] for e in trace(both)["traceEvents"]
             if e["name"] == "process_name"}  # fmt: skip
    assert names[77] == "clean.py rank 1"
    assert len(names) == 2


def test_what_has_no_time_is_left_out_and_said():
    clean = session("clean")
    events = tuple(
        msgspec.structs.replace(e, at=None) if isinstance(e, Compiled) else e
        for e in clean.events
        if not isinstance(e, Called)
    )
    content = trace(msgspec.structs.replace(clean, events=events))
    assert not slices(content, "")
    number = len([e for e in events if isinstance(e, Compiled)])
    assert content["otherData"]["left out"].startswith(f"{number} of {number} compiles")
