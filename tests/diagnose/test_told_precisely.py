"""What is said of exceptions after compiled inputs, and of callables that are no modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.model import Callable, Compiled, Errored, Frame, GraphBroke, Session

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
F = Frame("/x.py", 4, "f")
RAISED = GraphBroke(
    0, "0/1", "Observed exception", Frame("/x.py", 6, "f"), gb_id="GB0088", whole_frame=True
)


def why(*events):
    (found,) = diagnose(Session(events=events)).graph_breaks
    return found.why


def test_function_whose_other_inputs_were_compiled_is_not_called_uncompiled():
    skipped = Compiled(0, "0/1", F, outcome="skipped", recompile=True)
    # torch 2.13: after the exception is_compiling() is False for inputs that have a graph, too.
    text = why(Compiled(0, "0/0", F), skipped, RAISED)
    assert "From here on `f` runs eagerly for every input, also where it has a graph." in text
    assert "Nothing of `f`" not in text


def test_graphs_of_another_function_that_broke_at_the_line_are_not_its_own():
    # The line is inlined into both: the loop of the one is given up, the other is split and has
    # its graph.
    loop, layer = Frame("/x.py", 20, "model"), Frame("/x.py", 30, "layer")
    split = GraphBroke(0, "1/0", "Import failure", Frame("/x.py", 6, "f"), gb_id="GB0088")
    text = why(
        Compiled(0, "0/1", loop, outcome="skipped"), RAISED, Compiled(0, "1/0", layer), split
    )
    assert "also where it has a graph" not in text


def test_function_that_never_compiled_is_called_so():
    assert "Nothing of `f` is compiled" in why(Compiled(0, "0/1", F, outcome="skipped"), RAISED)
    another = Compiled(1, "0/0", F)
    assert "Nothing of `f` is compiled" in why(
        another, Compiled(0, "0/1", F, outcome="skipped"), RAISED
    )


@pytest.fixture(scope="module")
def several():
    return diagnose(store.load(SESSIONS / "several.cscope.json.gz"))


def test_partial_and_lambda_are_not_called_model(several):
    snippets = [
        remedy.snippet
        for cause in several.causes
        for remedy in cause.remedies
        if remedy.id == "dynamic_true"
    ]
    assert sorted(snippets) == [
        "fn = torch.compile(fn, dynamic=True)",
        "fn = torch.compile(fn, dynamic=True)",
        "half = torch.compile(half, dynamic=True)",
        "model = torch.compile(model, dynamic=True)",
    ]


def test_run_without_recompiles_is_not_called_fine_over_cuda_graphs():
    path = SESSIONS.parent / "h200" / "cudagraph_moves.cscope.json.gz"
    found = diagnose(store.load(path))
    assert found.status == "clean"
    assert found.verdict.endswith("no graph breaks, but 3 problems with CUDA graphs.")
    assert not found.verdict.startswith("Nothing to fix")


def test_what_follows_a_break_is_not_called_the_whole_function():
    rest = Frame("/x.py", 5, "torch_dynamo_resume_in_f_at_5")
    rnn = GraphBroke(
        0,
        "1/0",
        "Attempted to wrap RNN, GRU, or LSTM",
        Frame("/x.py", 6, "f", "y, _ = self.rnn(x)"),
        gb_id="GB0014",
        whole_frame=True,
        reason="Failed to handle graph break gracefully. Skipping the function and falling back",
    )
    text = why(Compiled(0, "0/0", F), Compiled(0, "1/0", rest, outcome="skipped"), rnn)
    assert text.endswith("Nothing of `f` after the break at line 5 is compiled.")
    assert "loop" not in text


def test_break_inside_a_compiled_function_of_a_library_is_told_of_that_function():
    path = "/usr/lib/python3.11/logging/__init__.py"
    owner = Frame(path, 1610, "makeRecord")
    clock = GraphBroke(
        0,
        "7/0",
        "Attempted to call function marked as skipped",
        Frame("/x.py", 28, "f", 'logger.warning("high")'),
        gb_id="GB0007",
        context="module: time, qualname: time",
        stack=(Frame("/x.py", 28, "f"), Frame(path, 297, "__init__")),
    )
    text = why(Compiled(0, "7/0", owner), clock)
    assert "Logging writes" in text
    assert "clock" not in text
    assert "`f`" not in text
    whole = structs.replace(clock, whole_frame=True)
    assert "Nothing of `makeRecord` is compiled" in why(
        Compiled(0, "7/0", owner, outcome="skipped"), whole
    )


def test_a_break_that_older_torch_notes_as_an_error_is_none():
    # torch 2.9: a function that cannot be resumed is left eager, and the trace has an exception.
    raised = Errored(
        0,
        "Attempted to wrap RNN, GRU, or LSTM\n  Explanation: Dynamo does not support RNN.",
        kind="Unsupported",
        compile_id="1/0",
        frame=Frame("/x.py", 6, "", "y, _ = self.rnn(x)"),
    )
    eager = Callable(0, "f", options={"backend": "eager"})
    rest = Frame("/x.py", 5, "torch_dynamo_resume_in_f_at_5")
    events = (Compiled(0, "0/0", F), Compiled(0, "1/0", rest, outcome="failed"), raised)
    found = diagnose(Session(events=events, callables=(eager,)))
    assert found.errors == ()
    (left,) = found.graph_breaks
    assert (left.frame.line, left.whole_frame) == (6, True)
    assert left.why.endswith("Nothing of `f` after the break at line 5 is compiled.")
    whole = structs.replace(eager, options={"fullgraph": "True"})
    told = diagnose(Session(events=events, callables=(whole,)))
    assert len(told.errors) == 1
    assert told.graph_breaks == ()
