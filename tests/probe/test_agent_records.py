"""The agent's files read back: cut short, forked, and too many calls."""

from __future__ import annotations

from compilescope.probe import merge, records
from compilescope.probe.session import from_raw

HEAD = (
    '{"pid":%d,"parent":1,"forked_from":%s,"command":["python"],"at":100.0,'
    '"wall_ns":%d,"clock_ns":50,"record":"process"}\n'
)
CALLABLE = '{"id":0,"name":"f","kind":"function","path":"/a.py","line":3,"record":"callable"}\n'


def write(folder, pid, text, *, forked_from="null", wall=100_000_000_000):
    path = folder / f"agent-{pid}.jsonl"
    path.write_text(HEAD % (pid, forked_from, wall) + text, encoding="utf-8")


def test_a_line_cut_short_costs_only_itself(tmp_path):
    write(tmp_path, 7, CALLABLE + "C 0 0 60 5\nC 0 1 70 5\nC 0 2 80 1")
    session = from_raw(tmp_path)
    assert [event.index for event in session.events] == [0, 1]
    assert session.events[0].at == 100.00000001
    assert [(gap.what, gap.count) for gap in session.gaps] == [("lines of the record cut short", 1)]


def test_a_forked_child_knows_what_its_parent_compiled(tmp_path):
    write(tmp_path, 7, CALLABLE + "C 0 0 60 5\nC 0 1 70 5\n")
    write(tmp_path, 3, "C 0 2 80 5\n", forked_from="7", wall=200_000_000_000)
    session = from_raw(tmp_path)
    assert [(item.process, item.name) for item in session.callables] == [(0, "f"), (1, "f")]
    assert [(event.process, event.index) for event in session.events] == [(0, 0), (0, 1), (1, 0)]


def test_two_programs_in_turn_under_one_pid(tmp_path):
    text = CALLABLE + "C 0 0 60 5\n" + HEAD % (7, "null", 300) + CALLABLE + "C 0 0 60 5\n"
    write(tmp_path, 7, text)
    assert len(records.read(tmp_path)) == 2
    assert len(from_raw(tmp_path).events) == 2


def test_too_many_calls_keep_the_notable_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(merge, "MOST_CALLS", 50)
    lines = [f"C 0 {index} {60 + index} 5\n" for index in range(1000)]
    lines[777] = '{"c":0,"i":777,"t":837,"d":5,"ids":["0/1"],"record":"call"}\n'
    write(tmp_path, 7, CALLABLE + "".join(lines))
    session = from_raw(tmp_path)
    assert len(session.events) <= 52
    assert 777 in {event.index for event in session.events}
    (gap,) = session.gaps
    assert gap.count == 1000 - len(session.events)


def test_an_empty_folder_is_a_session(tmp_path):
    session = from_raw(tmp_path)
    assert session.how == "unknown"
    assert session.gaps
