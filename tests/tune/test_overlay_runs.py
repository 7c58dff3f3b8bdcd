"""What the overlay does to a program that runs: padding, regions, first calls, stances."""

from __future__ import annotations

import sys

import pytest

from compilescope.diagnose import diagnose
from compilescope.model import Called
from compilescope.tune.measure import measure
from compilescope.tune.runs import Runs

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROGRAM = """
import torch
import torch.nn as nn

@torch.compile(backend="eager", dynamic=False)
def rows(x):
    return x * 2, {"total": x.sum()}

@torch.compile(backend="eager", dynamic=False)
def other(x):
    return (x + 1).float()

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).relu()

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

for n in (3, 5, 7):
    doubled, more = rows(torch.ones(n))
    print(tuple(doubled.shape), more["total"].item())
for _ in range(3):
    other(torch.ones(3))
model = torch.compile(Model(), backend="eager", dynamic=False)
for n in (2, 3, 2):
    model(torch.ones(n, 4))
print(type(model).__name__, type(model._orig_mod).__name__)
"""


@pytest.fixture
def run(tmp_path):
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    runs = Runs((sys.executable, str(script)), "program.py", tmp_path)

    def made(content):
        recorded = runs.run("trial", content | {"observe": {"outputs": True}}, None)
        assert recorded.session.code == 0, recorded.log.read_text()
        return recorded, recorded.log.read_text().splitlines()

    return made


def test_arguments_are_padded_results_cut_and_blocks_compiled_alone(run):
    pad = {"callable": "rows", "path": "x", "do": "pad", "dimension": 0, "buckets": [4, 8]}
    first = {"callable": "other", "path": "x", "do": "dtype", "to": "float64", "calls": "first"}
    recorded, lines = run({"arguments": [pad, first], "regional": True})
    assert lines[:3] == ["(3,) 3.0", "(5,) 5.0", "(7,) 7.0"]
    assert lines[3] == "Model Model"  # the model itself, not a wrapper
    assert recorded.notes.refused == ["regional: what is compiled is no module"]
    names = [one.name for one in recorded.session.callables]
    assert names.count("Block") == 3
    assert "Model" not in names
    paid = [
        (names[call.callable], call.index)
        for call in recorded.session.events
        if isinstance(call, Called) and call.compiles
    ]
    assert [index for name, index in paid if name == "rows"] == [0, 1]  # 3 to 4, 5 and 7 to 8
    assert [index for name, index in paid if name == "other"] == [0, 1]  # float64, float32
    spans = [one for one in recorded.notes.spans if one.callable == "Model"]
    assert len(spans) == 3
    found = measure(recorded.session, diagnose(recorded.session), recorded.notes)
    assert found.calls == 9
    assert (0, "Model", 2) in recorded.notes.outputs
    assert "Block" not in {name for _, name, _ in recorded.notes.outputs}  # they take time to read
    # As the program gave it, or padding would count as a difference.
    assert recorded.notes.outputs[0, "rows", 0]["argument x"]["shape"] == [3]


def test_calls_that_a_frozen_program_runs_eagerly_are_counted(run):
    recorded, lines = run({"stance": {"name": "eager_on_recompile", "after": 1}})
    assert lines[:3] == ["(3,) 3.0", "(5,) 5.0", "(7,) 7.0"]
    if recorded.notes.refused:
        pytest.skip(recorded.notes.refused[0])
    found = measure(recorded.session, diagnose(recorded.session), recorded.notes)
    # rows: 5 and 7; everything later begins when the program is frozen already.
    assert found.recompiles == 0
    assert found.eager_calls == 8
