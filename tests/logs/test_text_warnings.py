"""Messages, limits and exceptions of text logs; texts as recorded with torch 2.11 and 2.13."""

from __future__ import annotations

import pytest

from compilescope.logs.text import read_text
from compilescope.model import Compiled, Errored, FellBack, GraphBroke, Recompiled, Warned

PRE = "{level}1129 13:26:03.464000 17 torch/{file}:{line}] [0/0]{artifact} "


def log(*records):
    lines = []
    for level, file, artifact, text in records:
        tag = f" [__{artifact}]" if artifact else ""
        front = PRE.format(level=level, file=file, line=len(text), artifact=tag)
        lines += [(front + line).encode() for line in text.split("\n")]
    return read_text(lines).events


def bare(text):
    return read_text(text.encode().split(b"\n")).events


PERF = "_inductor/graph.py"
SKIP = "skipping cudagraphs due to "


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (
            SKIP + "mutated inputs (1 instances)",
            "cudagraph_skip",
            SKIP + "mutated inputs (1 instances)",
        ),
        (SKIP + SKIP + "cpu device (x)", "cudagraph_skip", SKIP + "cpu device (x)"),
        (
            SKIP + "disabling cudagraphs due to incompatible op x",
            "cudagraph_skip",
            "disabling cudagraphs due to incompatible op x",
        ),
        (
            "    op0_op1: reason=cpu ops, ir=ExternKernelOut, fx=aten.mm.default(a)",
            "cudagraph",
            "cpu ops",
        ),
    ],
)
def test_cudagraph_messages(text, kind, said):
    (event,) = log(("V", "_inductor/scheduler.py", "cudagraphs", text))
    assert (event.kind, event.text) == (kind, said)


def test_where_a_skip_was_found():
    text = (
        SKIP + 'mutated inputs (1 instances). Found from : \n   File "/home/u/a.py", line 3, in f'
    )
    (event,) = log(("W", "_inductor/cudagraph_utils.py", "cudagraphs", text))
    assert event.text == SKIP + "mutated inputs (1 instances)"
    assert (event.frame.path, event.frame.line) == ("/home/u/a.py", 3)


@pytest.mark.parametrize(
    "text",
    [
        "Created 2 graph partitions: 1 cudagraphable, 1 non-cudagraphable",
        "  Partition 0: 796 nodes, cudagraphable, inputs=446, outputs=717",
    ],
)
def test_progress_of_cudagraphs_is_no_warning(text):
    assert log(("V", "_inductor/scheduler.py", "cudagraphs", text)) == []


def test_repeated_messages_are_one_event():
    records = [("I", PERF, "perf_hints", "Using FallbackKernel: x")] * 300
    (event,) = log(*records)
    assert (event.kind, event.times, event.compile_id) == ("perf_hint", 300, "0/0")


def test_plain_python_warnings():
    (event,) = bare(
        "/v/site-packages/torch/_inductor/compile_fx.py:322: UserWarning: TensorFloat32 tensor"
        " cores for float32 matrix multiplication available but not enabled.\n  warnings.warn(\n"
        "step 1"
    )
    assert (event.kind, event.text[-12:]) == ("tf32", "not enabled.")


def test_other_peoples_warnings_are_ignored():
    assert bare("/home/u/a.py:3: UserWarning: my own warning\n  warn(1)") == []
    assert log() == []
    foreign = b"W0812 03:18:38.296000 140 absl/file.cc:12] something"
    assert read_text([foreign]).events == []


LIMIT = """\
torch._dynamo hit config.recompile_limit (8)
   function: 'f' (/home/u/a.py:2)
   last reason: 0/7: n == 9                                  # x * n  # a.py:3 in f
User stack trace:
  File "/home/u/a.py", line 3, in f
    return x * n
To log all recompilation reasons, use TORCH_LOGS="recompiles".
To diagnose recompilation issues, see https://x"""


@pytest.mark.parametrize("prefixed", [True, False])
def test_a_limit_needs_no_torch_logs(prefixed):
    events = log(("W", "_dynamo/convert_frame.py", "", LIMIT)) if prefixed else bare(LIMIT)
    (event,) = events
    assert isinstance(event, FellBack)
    assert (event.limit, event.limit_name, event.frame.line) == (8, "recompile_limit", 2)
    (reason,) = event.reasons
    assert (reason.kind, reason.required, reason.entry) == ("const.int", "9", "0/7")
    assert reason.frame.path == "/home/u/a.py"


HARD = (
    'Traceback (most recent call last):\n  File "/v/torch/_dynamo/x.py", line 1, in y\n'
    "torch._dynamo.exc.FailOnRecompileLimitHit: Hard failure due to fullgraph=True"
)


def test_a_limit_that_raises_is_no_fallback():
    events = log(("W", "_dynamo/convert_frame.py", "", LIMIT))
    assert any(isinstance(event, FellBack) for event in events)
    both = PRE.format(level="W", file="_dynamo/convert_frame.py", line=1, artifact="")
    lines = [(both + line).encode() for line in LIMIT.split("\n")] + HARD.encode().split(b"\n")
    (event,) = read_text(lines).events
    assert isinstance(event, Errored)
    assert event.kind == "FailOnRecompileLimitHit"


ITEM = """\
Graph break from `Tensor.item()`, consider setting:
    torch._dynamo.config.capture_scalar_outputs = True
or:
    env TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1
to include these operations in the captured graph.

Graph break: from user code at:
  File "/home/u/a.py", line 4, in f
    n = x.sum().item()
"""
BREAK = """\
Graph break in user code at /home/u/a.py:4
Graph Break Reason: Unsupported Tensor.item() call with capture_scalar_outputs=False
  Explanation: No.

User code traceback:
  File "/home/u/a.py", line 4, in f
    n = x.sum().item()
"""


def test_the_item_warning_is_the_break_unless_that_is_logged_too():
    warning = ("W", "_dynamo/variables/tensor.py", "", ITEM)
    (alone,) = log(warning)
    assert isinstance(alone, GraphBroke)
    assert alone.frame.line == 4
    (one,) = log(warning, ("V", "_dynamo/symbolic_convert.py", "graph_breaks", BREAK))
    assert one.explanation == "No."


def test_a_suppressed_error_left_a_function_uncompiled():
    text = (
        "WON'T CONVERT f /home/u/a.py line 4 \ndue to: \n"
        'Traceback (most recent call last):\n  File "/v/torch/_dynamo/x.py", line 1, in y\n  z()\n'
        "torch._dynamo.exc.BackendCompilerFailed: backend='be' raised:\nRuntimeError: boo\n\n"
        "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"
    )
    compiled, errored = log(("W", "_dynamo/convert_frame.py", "", text))
    assert isinstance(compiled, Compiled)
    assert (compiled.outcome, compiled.frame.function) == ("failed", "f")
    assert (errored.kind, errored.text) == (
        "BackendCompilerFailed",
        "backend='be' raised:\nRuntimeError: boo",
    )


def test_a_stance_tells_its_reasons_only_in_the_exception():
    text = (
        'Traceback (most recent call last):\n  File "/v/torch/_dynamo/e.py", line 1, in y\n'
        "RuntimeError: Detected recompile when torch.compile stance is 'fail_on_recompile'."
        " filename: '/home/u/a.py', function name: 'f', line number: 2\n"
        "    triggered by the following guard failure(s):\n"
        "    - 0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3"
    )
    recompiled = [event for event in bare(text) if isinstance(event, Recompiled)]
    assert [event.frame.function for event in recompiled] == ["f"]
    assert recompiled[0].reasons[0].kind == "tensor.size"


def test_a_programs_own_exception_is_not_ours():
    text = 'Traceback (most recent call last):\n  File "/home/u/a.py", line 1, in f\nValueError: x'
    assert bare(text) == []


def test_no_message_of_a_warning_is_a_template():
    events = log(("W", "_dynamo/utils.py", "", "something new happened"))
    assert events == [
        Warned(0, "warning", "something new happened", at=events[0].at, compile_id="0/0")
    ]


def test_an_exception_without_its_message_is_no_error():
    text = (
        'Traceback (most recent call last):\n  File "/v/torch/_dynamo/x.py", line 1, in y\n'
        "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"
    )
    assert bare(text) == []


def test_a_notebooks_traceback():
    (event,) = bare(
        "---------------------------------------------------------------------------\n"
        "Unsupported                               Traceback (most recent call last)\n"
        "Cell In[3], line 5\n      3 def f(x):\n----> 5 f(torch.ones(3))\n\n"
        "File /v/site-packages/torch/_dynamo/eval_frame.py:1177, in compile_wrapper(*args)\n"
        "   1176     raise e\n\n"
        "Unsupported: Data-dependent branching\n  Explanation: No.\n\n"
        'from user code:\n   File "/tmp/ipykernel_7/1234.py", line 4, in f\n    if x.sum() > 0:\n\n'
        "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"
    )
    assert (event.kind, event.frame.line) == ("Unsupported", 4)
    assert event.text == "Data-dependent branching\n  Explanation: No."
