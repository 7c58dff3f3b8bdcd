"""Findings joined with a run."""

from __future__ import annotations

import json

import pytest

from compilescope.lint.joined import join, same_file
from compilescope.lint.result import Met
from compilescope.lint.source import Source
from compilescope.model import (
    Compiled,
    Finding,
    Frame,
    GraphBroke,
    GuardFailure,
    Recompiled,
    Session,
)
from compilescope.store import save

MODEL = """\
class Net:
    def forward(self, x):
        if x.sum() > 0:
            print(x)
        self.steps += 1
        return x
"""


def finding(line, severity="split", gb_ids=(), function="Net.forward"):
    return Finding(
        "m.py", line, 9, line, 20, "CS1", "n", "m", function, severity=severity, gb_ids=gb_ids
    )


def met(line, kind="break", **changes):
    given = {"what": "w", "times": 2, "seconds": 1.5, "function": "forward", "path": "/x/m.py"}
    return Met(kind=kind, line=line, **(given | changes))


@pytest.fixture
def sources(tmp_path):
    return {"m.py": Source(tmp_path / "m.py", MODEL)}


@pytest.mark.parametrize(
    ("recorded", "here", "same"),
    [
        ("/a/pkg/m.py", "pkg/m.py", True),
        ("/a/pkg/m.py", "/b/pkg/m.py", True),
        ("/a/pkg/m.py", "m.py", True),
        ("m.py", "/b/pkg/m.py", True),
        ("C:\\a\\pkg\\m.py", "pkg/m.py", True),
        ("/a/pkg/m.py", "/b/other/m.py", False),
        ("/a/pkg/m.py", "pkg/n.py", False),
    ],
)
def test_files_are_the_same_by_the_end_of_their_paths(recorded, here, same):
    assert same_file(recorded, here) is same


def test_a_break_is_charged_to_the_finding_on_its_line(sources):
    marked, missed = join([finding(3), finding(4)], [met(4)], sources)
    assert [(f.line, f.times, f.seconds) for f in marked] == [(4, 2, 1.5), (3, 0, 0)]
    assert missed == []


def test_the_graph_break_id_decides_between_two(sources):
    first, second = finding(4, gb_ids=("GB0124",)), finding(4, gb_ids=("GB0059",))
    marked, _ = join([first, second], [met(4, gb_id="GB0059")], sources)
    assert [f.times for f in marked if f.gb_ids == ("GB0059",)] == [2]


def test_a_recompile_is_not_charged_to_a_break(sources):
    marked, missed = join([finding(4)], [met(4, "recompile")], sources)
    assert marked[0].times == 0
    assert len(missed) == 1


def test_a_recompile_is_charged_by_the_value_whose_guard_failed(sources):
    one = finding(5, "limit")
    marked, missed = join([one], [met(2, "recompile", source="self.steps")], sources)
    assert (marked[0].times, missed) == (2, [])
    _, missed = join([one], [met(2, "recompile", source="self.other")], sources)
    assert len(missed) == 1
    _, missed = join([one], [met(2, "recompile", source="self.steps", function="g")], sources)
    assert len(missed) == 1


def test_lines_that_moved_since_the_run_are_found_by_their_text(sources):
    marked, missed = join([finding(4)], [met(40, code="print(x)")], sources)
    assert (marked[0].times, missed) == (2, [])
    marked, missed = join([finding(4)], [met(4, code="y = 1")], sources)
    assert (marked[0].times, len(missed)) == (0, 1)


def test_what_was_missed_is_sorted_by_cost(sources):
    _, missed = join([], [met(1, seconds=0.1), met(2, seconds=9.0)], sources)
    assert [item.line for item in missed] == [2, 1]


@pytest.fixture
def session(project):
    path = project.write("m.py", MODEL)
    frame = Frame(str(path), 2, "forward")
    later = Frame(str(path), 2, "torch_dynamo_resume_in_forward_at_4")
    broke = GraphBroke(
        0, "0/0", "Failed to trace builtin operator", Frame(str(path), 4, "forward"), gb_id="GB0059"
    )
    unseen = GraphBroke(0, "0/0", "Call to x", Frame(str(path), 6, "forward"), gb_id="GB0007")
    failure = GuardFailure("constant", "self.steps == 0", "self.steps", frame=Frame(str(path), 5))
    events = (
        Compiled(0, "0/0", frame, seconds=2.0),
        broke,
        broke,
        broke,
        unseen,
        Compiled(0, "1/0", later, seconds=6.4),
        Recompiled(0, "0/1", frame, reasons=(failure,)),
        Compiled(0, "0/1", frame, seconds=1.0, recompile=True),
    )
    save(Session(events=events), project.path / "run.cscope.json")
    return project


def test_the_whole_way_from_a_session(session, lint, golden):
    outcome = lint("--session", "run.cscope.json", "m.py")
    assert outcome.code == 1
    golden("session.txt", outcome.out.replace(str(session.path), "/project"))


def test_machines_get_the_figures(session, lint):
    records = json.loads(lint("--session", "run.cscope.json", "--format", "json", "m.py").out)
    by_code = {record["code"]: (record["times"], record["seconds"]) for record in records}
    assert by_code["CS110"] == (3, 6.4)
    assert by_code["CS101"] == (0, 0.0)
    assert records[0]["code"] == "CS110"


def test_machines_are_told_beside_it_what_was_not_seen(session, lint):
    outcome = lint("--session", "run.cscope.json", "--format", "json-lines", "m.py")
    assert outcome.err == (
        "note: met in the run, not seen in the source: m.py:6: graph break: Call to x (GB0007)\n"
    )


def test_a_file_that_is_no_session(project, lint):
    project.write("m.py", MODEL)
    outcome = lint("--session", "m.py", "m.py")
    assert outcome.code == 2
    assert "m.py is not a session" in outcome.err
