"""Trials that serve through compilescope.mitigations, in child processes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from compilescope.tune import strategies
from compilescope.tune.trials import Bench

pytestmark = pytest.mark.torch

PROGRAM = """
import gc
import sys
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("sum", torch.zeros(4))

    def forward(self, x):
        y = self.lin(x).relu()
        WRITES
        return y

def settle():
    module = sys.modules.get("compilescope.mitigations.background")
    if module is not None:
        gc.unfreeze()
        for one in gc.get_objects():
            if type(one) is module.BackgroundCompiled:
                assert one.wait(300)

torch.manual_seed(0)
model = torch.compile(Model(), backend="BACKEND", dynamic=False)
with torch.set_grad_enabled(TRAINS):
    for n in (2, 3):
        for _ in range(3):
            y = model(torch.ones(n, 4))
            settle()
        if TRAINS:
            y.sum().backward()
"""


@pytest.fixture
def tried(tmp_path):
    pytest.importorskip("torch")

    def run(kind, backend="eager", writes="pass", trains="False"):
        script = tmp_path / "program.py"
        text = PROGRAM.replace("BACKEND", backend).replace("WRITES", writes)
        script.write_text(text.replace("TRAINS", trains))
        bench = Bench((sys.executable, str(script)), "program", tmp_path, quiet=True)
        bench.start()
        if kind == "ahead":
            attempt = strategies._ahead(bench.baseline)
        else:
            attempt = strategies._background(kind, "background")
        return bench.baseline, bench.attempt(attempt)

    return run


def test_no_call_waits_for_a_compile_in_the_background(tried):
    base, found = tried("thread")
    measures = found.trial.measures
    assert base.trial.measures.recompiles == 1
    assert (found.trial.outcome, found.trial.outputs) == ("better", "agree"), found.trial
    assert (measures.calls, measures.eager_calls, measures.recompiles) == (6, 2, 0)
    assert [one.name for one in found.session.callables] == ["Model"]
    assert measures.steady is not None


@pytest.mark.slow
def test_a_graph_made_ahead_of_time_takes_all_sizes_seen(tried):
    _, found = tried("ahead")
    measures = found.trial.measures
    assert (found.trial.outcome, found.trial.outputs) == ("solved", "agree"), found.trial
    assert (measures.calls, measures.eager_calls, measures.compiles) == (6, 0, 0)
    assert measures.warm_up > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "program", "why"),
    [
        ("thread", {"trains": "True"}, "the program trains"),
        ("thread", {"writes": "self.sum.add_(1)"}, "a call changes the buffer sum"),
        ("process", {}, "the main module has no"),
    ],
)
def test_what_it_is_not_for_is_refused_with_the_reason(tried, kind, program, why):
    _, found = tried(kind, **program)
    assert found.trial.outcome == "refused"
    assert why in found.trial.why


def test_process_and_ahead_of_time_are_tried_with_inductor_only(tmp_path):
    def labels(backend):
        base = SimpleNamespace(
            diagnosis=SimpleNamespace(causes=()),
            session=SimpleNamespace(
                callables=[SimpleNamespace(name="f", options={"backend": backend})],
                signatures=(),
                events=(),
            ),
            notes=SimpleNamespace(inputs=()),
        )
        return [one.label for one in strategies._strategies(base, (2, 13), tmp_path)]

    assert "compiled in the background, in a thread" in labels("eager")
    assert not [one for one in labels("eager") if "process" in one or "ahead" in one]
    assert "compiled in the background, in a process" in labels("inductor")
    assert "ahead of time within the sizes seen, else eager" in labels("inductor")
