"""The graph network of `tests/workloads`: what each way of marking its sizes is known to leave."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compilescope.diagnose import diagnose
from compilescope.tune.measure import measure
from compilescope.tune.rank import best_of
from compilescope.tune.remedy import Candidate, argument, config, overlay
from compilescope.tune.runs import Runs
from compilescope.tune.search import Search
from compilescope.tune.trials import Attempt, Bench
from compilescope.tune.warm import generic

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPT = Path(__file__).parents[1] / "workloads" / "graph_net.py"
SMALL = ("--backend", "eager", "--layers", "1", "--hidden", "8")
SIZES = (
    ("x", 0), ("local_edge_index", 1), ("cross_edge_index", 1), ("local_edge_scale", 0),
    ("cross_edge_scale", 0), ("context", 0),
)  # fmt: skip


def marked(**more):
    marks = (argument("", name, "mark_unbacked", dimension=n, **more) for name, n in SIZES)
    off = config("shapes.use_duck_shape", value=False)
    return Candidate("mark_unbacked", "marks, duck-shape off", (*marks, off))


@pytest.fixture
def command():
    pytest.importorskip("torch")
    return (sys.executable, str(SCRIPT), *SMALL)


def test_marks_on_every_call_leave_nothing(command, tmp_path):
    ran = Runs((*command, "--requests", "190"), "graph_net.py", tmp_path).run(
        "trial", overlay([marked()]), None
    )
    found = measure(ran.session, diagnose(ran.session), ran.notes)
    assert (found.calls, found.recompiles, found.eager_calls) == (190, 0, 0)


def test_a_first_request_without_edges(command, tmp_path):
    swapped = (*command, "--requests", "90", "--swap", "0", "24")
    bench = Bench(swapped, "graph_net.py", tmp_path, runs=1, quiet=True)
    base = bench.start()

    Search(bench).run()
    assert best_of(bench.done).trial.measures.recompiles <= 1

    bench.runs = 3
    first = bench.attempt(Attempt((marked(calls="first"),)))
    assert first.trial.measures.recompiled_at == (1, 4, 12, 40, 60, 84)
    warm = bench.attempt(Attempt((marked(), *generic(base))))
    assert (warm.trial.outcome, warm.trial.outputs) == ("solved", "agree"), warm.trial
