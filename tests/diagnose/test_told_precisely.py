"""What is said of exceptions after compiled inputs, and of callables that are no modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.model import Compiled, Frame, GraphBroke, Session

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
