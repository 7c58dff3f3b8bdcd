"""The panel on CUDA graphs: from a log's lines, from recorded sessions, from what a run asked for.

Lines as torch 2.11 writes them (`torch/_inductor/cudagraph_trees.py`, `cudagraph_utils.py`).
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.logs.text import read_text
from compilescope.model import (
    Callable,
    Compiled,
    CudaGraphed,
    Environment,
    Frame,
    Session,
    Warned,
)

H200 = Path(__file__).parents[1] / "data" / "h200"
TRACES = Path(__file__).parents[3] / "shared" / "traces"
TREES = "_inductor/cudagraph_trees.py"
UTILS = "_inductor/cudagraph_utils.py"
MOVED = """[0/0] Re-recording function=partition_0, mode=INFERENCE, \
reason=static input data pointer changed.
input name: arg0_1. data pointer changed from 140366515798016 to 140366515799040. \
input stack trace:   File "/home/u/serve.py", line 12, in forward
    return x @ self.weight
input name: arg1_1. data pointer changed from 140366515700000 to 140366515790000. \
input stack trace:   File "/home/u/serve.py", line 13, in forward
    return y + self.bias
"""
RECORDED = (
    "[0/0] Recording function=partition_0, mode=INFERENCE, cuda_graph_id={}, inputs: [0]: T(1)"
)


def session(*records):
    lines = []
    for level, file, text in records:
        front = f"{level}1129 13:26:03.464000 17 torch/{file}:{len(text)}] [__cudagraphs] "
        lines += [(front + line).encode() for line in text.split("\n")]
    log = read_text(lines)
    return Session(source="logs", events=tuple(log.events), processes=tuple(log.processes))


def panel(*records):
    found = diagnose(session(*records)).cudagraphs
    assert found is not None
    return found


def test_warm_up_recording_and_recording_again_are_counted():
    found = panel(
        ("I", TREES, "[0/0] Recording cudagraph tree for graph without symints"),
        ("V", TREES, "[0/0] Running warmup function=partition_0, mode=INFERENCE"),
        ("V", TREES, RECORDED.format(0)),
        ("V", TREES, MOVED),
        ("V", TREES, RECORDED.format(1)),
    )
    assert (found.status, found.recorded, found.rerecorded, found.warm_ups) == ("recorded", 2, 1, 1)
    (graph,) = found.graphs
    assert (graph.compile_id, graph.recorded, graph.sizes) == ("0/0", 2, ())


def test_recording_again_names_the_inputs_and_the_line_that_reads_the_first():
    records = [RECORDED.format(0), MOVED, RECORDED.format(1), MOVED, RECORDED.format(2)]
    found = panel(*(("V", TREES, record) for record in records))
    (problem,) = found.problems
    assert problem.kind == "rerecorded"
    assert problem.times == 2
    assert problem.inputs == ("arg0_1", "arg1_1")
    assert problem.frame is not None
    assert (problem.frame.path, problem.frame.line) == ("/home/u/serve.py", 12)
    assert [remedy.id for remedy in problem.remedies] == ["keep_inputs", "mark_static_address"]
    assert "140366515798016" not in problem.text


def test_a_graph_that_does_not_fit_is_not_recorded_again_where_another_one_fits():
    records = [RECORDED.format(0), MOVED, RECORDED.format(1), MOVED, MOVED]
    found = panel(*(("V", TREES, record) for record in records))
    assert (found.recorded, found.rerecorded) == (2, 1)
    assert [problem.times for problem in found.problems] == [1]


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("cudagraph managed tensor data pointer changed.\n", "clone_output"),
        ("expected dead indices before graph are live", "drop_outputs"),
        ("CheckInvariantStatus.StaticInputIdxMismatch", "keep_inputs"),
    ],
)
def test_each_reason_has_its_own_remedy(reason, remedy):
    recorded = "[0/1] Recording function=f, mode=FORWARD, cuda_graph_id={}, inputs: "
    text = f"[0/1] Re-recording function=f, mode=FORWARD, reason={reason}"
    records = [recorded.format(0), text, recorded.format(1)]
    (problem,) = panel(*(("V", TREES, record) for record in records)).problems
    assert problem.remedies[0].id == remedy


def test_each_size_is_told_once_and_the_warning_with_its_last_number():
    sizes = [
        ("I", TREES, f"[0/1] Recording cudagraph tree for symint key ({size},)")
        for size in (8, 9, 8, 12)
    ]
    many = "CUDAGraph supports dynamic shapes by recording. We have observed {} distinct sizes. "
    warnings = [("W", UTILS, many.format(count)) for count in (9, 10)]
    found = panel(*sizes, *warnings)
    assert found.graphs[0].compile_id == "0/1"
    assert found.graphs[0].sizes == ("8", "9", "12")
    assert found.recorded is None, "without the debug lines nobody knows"
    assert [item.kind for item in found.problems] == ["many_sizes", "many_sizes"]


def test_the_sizes_of_torch_2_11_belong_to_the_graph_that_the_next_record_names():
    records = []
    for size in (8, 9, 12):
        records.append(("I", TREES, f"Recording cudagraph tree for symint key ({size},)"))
        records.append(("V", TREES, "[1/0] Running warmup function=partition_0"))
    records.append(("I", TREES, "Recording cudagraph tree for graph without symints"))
    found = panel(*records)
    assert [(graph.compile_id, graph.sizes) for graph in found.graphs] == [
        ("1/0", ("8", "9", "12")),
        ("", ()),
    ]


def test_many_sizes_are_told_at_the_function_that_has_them():
    frame = Frame("/home/u/serve.py", 4, "sized")
    sizes = [CudaGraphed(0, "set_up", "0/1", sizes=str(n)) for n in range(9)]
    other = CudaGraphed(0, "set_up", "1/0", sizes="4")
    text = "CUDAGraph supports dynamic shapes by recording. We have observed 9 distinct sizes."
    events = (Compiled(0, "0/1", frame), *sizes, other, Warned(0, "cudagraph", text))
    found = diagnose(Session(events=events)).cudagraphs
    assert found is not None
    assert [(item.frame, item.compile_ids) for item in found.problems] == [(frame, ("0/1",))]


def test_a_skip_has_its_line_and_remedy():
    text = (
        "skipping cudagraphs due to cpu device (arg1_1). Found from : \n"
        '   File "/home/u/a.py", line 3, in f\n    return x + scale\n'
    )
    found = panel(("W", UTILS, text))
    assert found.status == "partly", "the recordings are told only where they were asked for"
    (problem,) = found.problems
    assert problem.frame is not None
    assert problem.frame.line == 3
    assert problem.remedies[0].id == "same_device"


def test_the_parts_that_stay_outside_are_told_with_reasons():
    text = "    op0: reason=cpu ops, ir=ComputedBuffer, fx=aten.add"
    scheduler = "_inductor/scheduler.py"
    found = panel(
        ("I", TREES, "[0/0] Recording cudagraph tree for graph without symints"),
        ("V", scheduler, text),
        ("V", scheduler, '         File "/home/u/a.py", line 7, in f'),
        ("V", scheduler, "             return x + scale"),
    )
    assert found.status == "partly"
    (problem,) = found.problems
    assert problem.remedies[0].id == "cpu_scalars"
    assert problem.frame is not None
    assert (problem.frame.line, problem.frame.code) == (7, "return x + scale")


def test_thousands_of_lines_about_a_switch_that_is_off_are_one():
    text = "    op{}: reason=partition includes all ops when cudagraphs is disabled, ir=None"
    records = [("V", "_inductor/scheduler.py", text.format(number)) for number in range(300)]
    diagnosis = diagnose(session(*records))
    assert diagnosis.cudagraphs is not None
    assert (diagnosis.cudagraphs.status, diagnosis.cudagraphs.folded) == ("off", 300)
    assert diagnosis.cudagraphs.problems == ()
    assert diagnosis.notices == ()


def test_graphs_that_were_asked_for_and_never_came():
    asked = Callable(0, "decode", options={"triton.cudagraphs": "True", "backend": "inductor"})
    plain = diagnose(Session(source="probe", callables=(asked,))).cudagraphs
    assert plain is not None
    assert "no GPU" in plain.summary
    device = Environment(devices=("NVIDIA H200",))
    found = diagnose(Session(source="probe", callables=(asked,), environment=device)).cudagraphs
    assert found is not None
    assert "gives no reason" in found.summary


def test_a_run_without_any_of_it_has_no_panel():
    assert diagnose(store.load(H200 / "gcn.cscope.json.gz")).cudagraphs is None


def test_reading_an_output_too_late_is_the_first_problem():
    found = diagnose(store.load(H200 / "decode_cache.cscope.json.gz")).cudagraphs
    assert found is not None
    assert found.status == "failed"
    first = found.problems[0]
    assert first.kind == "overwritten"
    assert first.frame is not None
    assert first.frame.path.endswith("decode_cache.py")
    assert first.frame.line == 22
    assert [remedy.id for remedy in first.remedies] == ["clone_output", "mark_step_begin"]
    assert {size for graph in found.graphs for size in graph.sizes} == {"64"}


@pytest.mark.skipif(not TRACES.is_dir(), reason="shared traces are not here")
def test_thirty_thousand_lines_of_a_real_log():
    with lzma.open(TRACES / "cap_auto.txt.xz") as lines:
        log = read_text(lines)
    found = diagnose(Session(source="logs", events=tuple(log.events)))
    assert found.cudagraphs is not None
    assert (found.cudagraphs.status, found.cudagraphs.folded) == ("off", 2127)
    assert not [notice for notice in found.notices if "cudagraphs is disabled" in notice.text]
