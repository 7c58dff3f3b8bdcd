"""No input, however damaged, makes the text reader raise."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from compilescope.logs.breaks import parse_break
from compilescope.logs.lines import read_line
from compilescope.logs.text import read_text
from compilescope.model import Session

DATA = Path(__file__).parents[1] / "data" / "logs"
LINES = [
    line for path in sorted(DATA.glob("torch2*.txt")) for line in path.read_bytes().split(b"\n")
]


def check(lines):
    log = read_text(lines)
    session = Session(
        events=tuple(log.events), processes=tuple(log.processes), gaps=tuple(log.gaps)
    )
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session
    for event in log.events:
        assert 0 <= event.process < len(log.processes)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_lines_in_any_order(lines):
    check(lines)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=20),
)
def test_any_bytes_changed(lines, changes):
    data = bytearray(b"\n".join(lines))
    for where, value in changes:
        if data:
            data[where % len(data)] = value
    check(bytes(data).split(b"\n"))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_a_line(data):
    assert isinstance(read_line(data).text, str)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_below_a_head_is_a_break(text):
    head = "Graph break in user code at a.py:3\nGraph Break Reason: "
    event = parse_break(head + text, process=0, compile_id="", at=None)
    assert event is not None
    assert event.type
