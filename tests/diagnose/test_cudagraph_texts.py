"""Every text on CUDA graphs that torch 2.6 to 2.15 can log, with what is said about it.

The texts are those of `torch/_inductor` (`cudagraph_utils.py`, `cudagraph_trees.py`,
`compile_fx.py`, `output_code.py`, `scheduler.py`, `graph.py`) of 2.6.0, 2.8.0, 2.9.1, 2.11.0,
2.13.0, 2.14.1 and 2.15.0.
"""

from __future__ import annotations

import pytest

from compilescope.diagnose import diagnose
from compilescope.logs.text import read_text
from compilescope.model import CudaGraphed, Errored, Frame, Process, Session

STACK = '  File "/home/u/a.py", line 3, in f\n    return x + scale\n'
BELOW = f". Found from : \n {STACK}"
BESIDE = f" Found from {STACK}\n"
SKIP = "skipping cudagraphs due to "
AGAIN = (
    "skipping cudagraph due to function 3 exceeding max re-recording limit (=128) on cudagraph "
    "node 5 due to "
)
MOVED = (
    "{}.\ninput name: primals_2. data pointer changed from 140366515798016 to 140366515799040. "
    f"input stack trace: {STACK}\n."
)
STILL = "already-recorded shapes still replay, new shapes run eager."
MANY = (
    "CUDAGraph supports dynamic shapes by recording a new graph for each distinct input size. "
    "We have observed 51 distinct sizes."
)
NO_LINE = 0


def found(text, artifact="cudagraphs", level="W"):
    front = f"{level}1129 13:26:03.464000 17 torch/_inductor/cudagraph_utils.py:9] [__{artifact}] "
    log = read_text([(front + line).encode() for line in text.split("\n")])
    return diagnose(Session(source="logs", events=tuple(log.events)))


@pytest.mark.parametrize(
    ("text", "word", "remedy", "line"),
    [
        (
            SKIP + "mutated inputs (2 instances)" + BELOW,
            "writes into one of its inputs",
            "clone",
            3,
        ),
        (SKIP + "['mutated inputs']", "writes into one of its inputs", "clone", NO_LINE),
        (
            SKIP + "input storage mutation (1 instances). Found from:\n " + STACK,
            "`set_`",
            "copy",
            3,
        ),
        (SKIP + SKIP + "cpu device (arg1_1)" + BELOW, "calls it `arg1_1`", "same_device", 3),
        (
            SKIP + SKIP + "multiple devices: device(type='cuda', index=0), "
            "device(type='cuda', index=1)",
            "several devices",
            "same_device",
            NO_LINE,
        ),
        (SKIP + "multiple devices: device(type='xpu', index=0)", "`xpu`", "", NO_LINE),
        (
            SKIP
            + "cudagraph capture requires the caching allocator; current allocator is uncached",
            "caching allocator",
            "unset",
            NO_LINE,
        ),
        (SKIP + "['complex memory overlap']", "overlap in memory", "contiguous", NO_LINE),
        (SKIP + "['non-Tensor inputs']", "neither a tensor", "as_tensor", NO_LINE),
        (
            SKIP + "user CUDA MemPool contexts are not compatible with CUDA graphs",
            "`MemPool`",
            "no_pool",
            NO_LINE,
        ),
        (
            SKIP + "graph with symbolic shapes inputs and "
            "config.triton.cudagraph_skip_dynamic_graphs=True." + BESIDE,
            "`cudagraph_skip_dynamic_graphs`",
            "pad",
            3,
        ),
        (
            SKIP + "disabling cudagraphs due to incompatible op aten.nonzero.default" + BESIDE,
            "`aten.nonzero.default`",
            "move_out",
            3,
        ),
        (SKIP + SKIP + "incompatible op (nonzero)", "`nonzero`", "move_out", NO_LINE),
        (
            SKIP + "index_put_ fallback with boolean indexing is not compatible with CUDA graphs"
            " Found from : \n " + STACK,
            "boolean mask",
            "torch_where",
            3,
        ),
        (
            SKIP + "control flow operator: torch.cond. Found from : \n " + STACK,
            "`torch.cond`",
            "torch_where",
            3,
        ),
        (
            SKIP + "control flow operator: torch.switch. Found from : \n " + STACK,
            "`torch.switch`",
            "torch_where",
            3,
        ),
        (
            SKIP + "control flow operator: torch.while_loop. Found from : \n " + STACK,
            "`torch.while_loop`",
            "fixed_count",
            3,
        ),
        (SKIP + "sparsity not handled. Please file issue" + BELOW, "Sparse", "", 3),
        (
            SKIP + "cpp-wrapper does not support graph partition yet",
            "C++ wrapper",
            "no_partition",
            NO_LINE,
        ),
        (SKIP + "bisector", "keeps CUDA graphs off", "", NO_LINE),
        (SKIP + "['force_disable_cudagraph_TESTING_ONLY']", "keeps CUDA graphs off", "", NO_LINE),
        ("disabling cudagraphs due to override_cudagraphs annotation", "annotation", "", NO_LINE),
        (
            "disabling cudagraphs for backward due to override_cudagraphs annotation",
            "annotation",
            "",
            NO_LINE,
        ),
        (
            "Partition 0 has 1 kernels, below minimum size 5, skipping cudagraph",
            "`cudagraph_min_partition_size`",
            "",
            NO_LINE,
        ),
    ],
)
@pytest.mark.parametrize("artifact", ["cudagraphs", "perf_hints"])
def test_a_skip_is_told_with_its_reason_line_and_remedy(text, word, remedy, line, artifact):
    panel = found(text, artifact).cudagraphs
    assert panel is not None
    (problem,) = panel.problems
    assert problem.kind == "skipped"
    assert word in problem.why
    assert (problem.remedies[0].id if problem.remedies else "") == remedy
    assert (problem.frame.line if problem.frame else NO_LINE) == line


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("x.add_(1)", "x"),
        ("self.cache.copy_(keys)", "self.cache"),
        ("cache[:, at] = key", "cache"),
        ("state += update", "state"),
        ("return x.mul_(2)", "x"),
        ("out = f(x)", "tensor"),
        ("x == y", "tensor"),
    ],
)
def test_the_tensor_that_is_written_is_the_one_to_keep_in_place(code, name):
    stack = f'  File "/home/u/a.py", line 3, in f\n    {code}\n'
    panel = found(f"{SKIP}mutated inputs (1 instances). Found from : \n {stack}").cudagraphs
    assert panel is not None
    snippet = panel.problems[0].remedies[1].snippet
    assert snippet == f"torch._dynamo.mark_static_address({name})"


@pytest.mark.parametrize(
    ("text", "word", "remedies"),
    [
        (
            AGAIN + MOVED.format("static input data pointer changed"),
            "should stay in place",
            ["keep_inputs", "mark_static_address"],
        ),
        (
            AGAIN + MOVED.format("cudagraph managed tensor data pointer changed"),
            "output of an earlier CUDA graph",
            ["clone_output", "mark_step_begin"],
        ),
        (
            AGAIN + "expected dead indices before graph are live.",
            "still in use",
            ["drop_outputs", "mark_step_begin"],
        ),
        (
            AGAIN.partition(" exceeding")[0] + " reaching the cudagraph-managed input re-recording "
            "threshold (=5) on cudagraph node None for input indices [0, 2].",
            "output of an earlier CUDA graph",
            ["clone_output", "mark_step_begin"],
        ),
        (
            "[0/1] forward graph hit cudagraph_dynamic_shape_rerecord_limit=4; " + STILL,
            "limit of 4 sizes",
            ["pad", "raise_limit"],
        ),
    ],
)
def test_giving_up_has_the_remedy_of_its_reason(text, word, remedies):
    diagnosis = found(text)
    assert diagnosis.cudagraphs is not None
    (problem,) = diagnosis.cudagraphs.problems
    assert problem.kind == "given_up"
    assert word in problem.why
    assert [remedy.id for remedy in problem.remedies] == remedies
    assert "140366515798016" not in problem.text
    if "input name" in text:
        assert problem.inputs == ("primals_2",)
        assert problem.frame is not None
        assert problem.frame.line == 3
    assert len(diagnosis.notices) == 1


@pytest.mark.parametrize(
    ("reason", "word", "remedy"),
    [
        ("cpu ops", "works on the CPU", "cpu_scalars"),
        ("None ops", "works on the CPU", "cpu_scalars"),
        ("DeviceCopy ops", "between devices", "cpu_scalars"),
        ("cross-device ops", "between devices", "cpu_scalars"),
        ("Conditional ops", "decided by the CPU", "torch_where"),
        ("Switch ops", "decided by the CPU", "torch_where"),
        ("unbacked binding ops", "known only when it has run", "known_size"),
        ("uses cudagraph-unsafe unbacked symint: u0", "known only when it has run", "known_size"),
        ("dynamic shape ops", "`cudagraph_skip_dynamic_graphs`", "pad"),
        ("custom partition op: lib::op.default", "`custom_should_partition_ops`", ""),
        ("CUDAGraph-unsafe custom ops", "`aten.topk.default`", "move_out"),
    ],
)
def test_a_part_that_stays_outside_is_told_with_its_reason(reason, word, remedy):
    stack = '\n         File "/home/u/a.py", line 3, in f\n             return x + scale'
    text = f"    op0: reason={reason}, ir=FallbackKernel, fx=aten.topk.default(x, 1){stack}"
    panel = found(text, level="V").cudagraphs
    assert panel is not None
    (problem,) = panel.problems
    assert word in problem.why
    assert (problem.remedies[0].id if problem.remedies else "") == remedy
    assert problem.frame is not None
    assert problem.frame.line == 3


@pytest.mark.parametrize(
    ("operator", "remedy"),
    [("aten.index_put_.default", "torch_where"), ("while_loop", "fixed_count")],
)
def test_an_operator_that_cannot_be_recorded_has_its_own_remedy(operator, remedy):
    text = f"    op0: reason=CUDAGraph-unsafe custom ops, ir=FallbackKernel, fx={operator}(x, y)"
    panel = found(text, level="V").cudagraphs
    assert panel is not None
    assert [one.id for one in panel.problems[0].remedies] == [remedy]


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("non gpu ops", "cpu_scalars"),
        ("DeviceCopy ops", "cpu_scalars"),
        ("Conditional ops", "torch_where"),
        ("unbacked binding ops", "known_size"),
        ("CUDAGraph-unsafe custom ops", "move_out"),
    ],
)
def test_the_partitions_of_torch_2_9_are_told(reason, remedy):
    diagnosis = found(f"cudagraph partition due to {reason}{BELOW}", "perf_hints")
    assert diagnosis.cudagraphs is not None
    (problem,) = diagnosis.cudagraphs.problems
    assert problem.kind == "skipped"
    assert [one.id for one in problem.remedies] == [remedy]
    assert problem.frame is not None
    assert problem.frame.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "Checkpointing cuda caching allocator state. Number of checkpoints 1",
        "tensor_weakrefs length (2) != stack_traces length (3)",
        "Created 3 graph partitions: 2 cudagraphable, 1 non-cudagraphable",
        "  Partition 0: 3 nodes, non-cudagraphable, inputs=2, outputs=1",
        "cudagraph partition into 3 partitions",
    ],
)
def test_what_tells_a_user_nothing_is_left_out(text):
    diagnosis = found(text, "perf_hints" if text.startswith("cudagraph") else "cudagraphs")
    assert (diagnosis.cudagraphs, diagnosis.notices) == (None, ())


def test_the_steps_of_torch_2_6_to_2_9_are_counted():
    lines = (
        "recording cudagraph tree for symint key (8,)",
        "Running warmup of function 0",
        "Running eager of function 1 because ancestor needed to warm up",
        "Recording function 0 of graph recording id 0",
        "recording cudagraph tree for graph without symints",
    )
    front = "V1129 13:26:03.464000 17 torch/_inductor/cudagraph_trees.py:{}] [__cudagraphs] {}"
    log = read_text([front.format(n, line).encode() for n, line in enumerate(lines)])
    diagnosis = diagnose(Session(source="logs", events=tuple(log.events)))
    panel = diagnosis.cudagraphs
    assert panel is not None
    assert (panel.status, panel.recorded, panel.warm_ups) == ("recorded", 1, 1)
    assert panel.graphs[0].sizes == ("8",)
    assert diagnosis.notices == ()


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        (SKIP + "mutated inputs (1 instances)" + BELOW, "skipped", 3),
        (SKIP + "disabling cudagraphs due to incompatible op aten.x" + BESIDE, "skipped", 3),
        ("cudagraph partition due to non gpu ops" + BELOW, "skipped", 3),
        (MANY, "many_sizes", NO_LINE),
        (AGAIN + MOVED.format("cudagraph managed tensor data pointer changed"), "given_up", 3),
    ],
)
def test_warnings_of_torch_2_6_to_2_9_have_no_prefix_by_default(text, kind, line):
    lines = ["step 1", *text.split("\n"), "step 2"]
    diagnosis = diagnose(Session(source="logs", events=tuple(read_text(lines).events)))
    assert diagnosis.cudagraphs is not None
    (problem,) = diagnosis.cudagraphs.problems
    assert problem.kind == kind
    assert problem.why
    assert (problem.frame.line if problem.frame else NO_LINE) == line


def test_two_lines_with_the_same_reason_are_two_problems():
    other = BELOW.replace("line 3, in f", "line 9, in g")
    lines = []
    for number, stack in enumerate((BELOW, other, other)):
        front = f"W1129 13:26:0{number}.464000 17 torch/_inductor/cudagraph_utils.py:9] "
        text = f"{SKIP}mutated inputs (1 instances){stack}"
        lines += [f"{front}[__cudagraphs] {line}".encode() for line in text.split("\n")]
    panel = diagnose(Session(source="logs", events=tuple(read_text(lines).events))).cudagraphs
    assert panel is not None
    places = [(item.frame.line, item.times) for item in panel.problems if item.frame]
    assert sorted(places) == [(3, 1), (9, 2)]


def test_a_log_of_warnings_alone_does_not_say_that_nothing_was_recorded():
    panel = found(SKIP + "mutated inputs (2 instances)" + BELOW).cudagraphs
    assert panel is not None
    assert panel.status == "partly"
    assert "none was recorded" not in panel.summary
    assert "the log does not tell" in panel.summary


@pytest.mark.parametrize(
    ("text", "word", "remedy"),
    [
        (
            "CUDA error: operation not permitted when stream is capturing\nCUDA kernel errors",
            "cannot be recorded",
            "unsafe_operator",
        ),
        (
            "Detected 1 tensor(s) in the cudagraph pool not tracked as outputs. All live",
            "is kept outside",
            "return_it",
        ),
        (
            "These live storage data ptrs are in the cudagraph pool but not accounted for as an",
            "is kept outside",
            "return_it",
        ),
        (
            "These storage data ptrs are not allocated in pool (0, 1) but should be {140}",
            "does not lie in the memory",
            "true_schema",
        ),
    ],
)
def test_an_error_of_a_recording_is_told_once_with_what_to_do(text, word, remedy):
    line = Frame("/home/u/a.py", 3, "f")
    process = Process(0, 1, error=f"RuntimeError: {text}")
    events = (CudaGraphed(0, "set_up", "0/0"), Errored(0, text, "RuntimeError", frame=line))
    panel = diagnose(Session(events=events, processes=(process,))).cudagraphs
    assert panel is not None
    (problem,) = panel.problems
    assert (panel.status, problem.kind, problem.frame) == ("failed", "recording_failed", line)
    assert word in problem.why
    assert problem.remedies[0].id == remedy
    assert panel.summary.endswith("; a recording raised an error.")


def test_an_error_of_a_recording_of_the_programs_own_is_not_ours_to_explain():
    text = "CUDA error: operation not permitted when stream is capturing"
    assert diagnose(Session(events=(Errored(0, text, "RuntimeError"),))).cudagraphs is None


def test_gradients_that_would_be_copied_do_not_say_that_cuda_graphs_are_in_use():
    text = (
        "('Grad tensors [\"L['w'].grad\"] will be copied during cudagraphs execution.If using "
        "cudagraphs and the grad tensor addresses will be the same',)"
    )
    diagnosis = found(text, "perf_hints")
    assert diagnosis.cudagraphs is None
    (notice,) = diagnosis.notices
    assert notice.why.startswith("Where CUDA graphs are used")


def test_the_graph_of_a_mask_belongs_to_its_hint():
    text = (
        "flex FLASH: mask_mod could not be lowered to packed 32-lane intervals; mask graph:\n"
        "graph():\n    %q_idx : [num_users=1] = placeholder[target=q_idx]\n    return q_idx"
    )
    (notice,) = found(text, "perf_hints").notices
    assert [remedy.id for remedy in notice.remedies] == ["lane_uniform"]


def test_a_run_that_ended_while_warming_up_recorded_nothing():
    text = "[0/0] Running warmup function=partition_0, mode=INFERENCE"
    panel = found(text, level="V").cudagraphs
    assert panel is not None
    assert panel.summary == "No CUDA graph was recorded after 1 warm-up run."
