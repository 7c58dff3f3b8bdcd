"""Forecasts of real programs, with the eager backend."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compilescope import store

pytestmark = [pytest.mark.torch, pytest.mark.slow]  # a start of torch each
WORKLOADS = Path(__file__).parents[1] / "workloads"
COMMAND = (sys.executable, "-I", "-m", "compilescope", "forecast")


def start(folder, *arguments):
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TORCH", "COMPILESCOPE", "PYTHON"))
    }
    return subprocess.run(
        arguments, cwd=folder, env=variables, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip


def forecast(folder, text, *options):
    (folder / "program.py").write_text(text)
    done = start(folder, *COMMAND, "-o", "out.cscope.json", *options, "program.py")
    path = folder / "out.cscope.json"
    return done, store.load(path).forecast if path.exists() else None


def special(found):
    return [
        {(change.source, change.dimension): change.value for change in call.changes}
        for call in found.calls
        if call.what == "graph"
    ]


ROWS = """
import torch
@torch.compile(backend="eager", dynamic=True)
def scaled(x, y):
    return x.sin() + y
for rows in (5, 7, 9):
    print(scaled(torch.randn(rows, 4), torch.randn(rows, 1)).shape)
"""


def test_sizes_that_varied_together_are_varied_together(tmp_path):
    done, found = forecast(tmp_path, ROWS)
    assert done.returncode == 0
    inputs = special(found)
    assert {("x", 0): "1", ("y", 0): "1"} in inputs
    assert {("x", 0): "0", ("y", 0): "0"} in inputs
    assert all(set(each) <= {("x", 0), ("y", 0)} for each in inputs)
    assert not found.stopped


def test_what_never_varied_stays_and_the_gate_passes(tmp_path):
    program = ROWS.replace("(5, 7, 9)", "(5, 5, 5)").replace(", dynamic=True", "")
    done, found = forecast(tmp_path, program, "--check", "0")
    assert done.returncode == 0
    assert special(found) == []
    assert "Nothing would recompile" in done.stdout


def test_the_gate_is_crossed(tmp_path):
    done, _ = forecast(tmp_path, ROWS, "--check", "1")
    assert done.returncode == 1
    assert "more than 1" in done.stderr


def test_the_program_prints_to_stderr_and_is_not_changed(tmp_path):
    done, _ = forecast(tmp_path, ROWS)
    assert done.stderr.count("torch.Size") == 3
    assert "torch.Size" not in done.stdout


def test_inputs_that_the_program_cannot_take_are_no_forecast(tmp_path):
    program = ROWS.replace("return x", "assert x.shape[0] > 1\n    return x")
    _, found = forecast(tmp_path, program)
    assert special(found) == []
    assert found.callables[0].invalid >= 2


def test_state_that_moves_on_recompiles_at_each_call(tmp_path):
    program = """
import torch
class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        return x * self.step
model = torch.compile(Counting(), backend="eager")
for _ in range(3):
    model(torch.randn(3))
"""
    _, found = forecast(tmp_path, program)
    repeats = [call for call in found.calls if call.repeat]
    assert repeats
    assert found.causes[0].source.endswith("step")


def test_squares_of_one_size_each_may_become_wide(tmp_path):
    program = """
import torch
@torch.compile(backend="eager", dynamic=True)
def image(x):
    return x.flip(0).sum()
for size in (8, 12):
    image(torch.randn(size, size))
"""
    _, found = forecast(tmp_path, program)
    assert any(len(each) == 1 and not {"0", "1"} & set(each.values()) for each in special(found))


def test_a_program_is_ended_after_the_calls_asked_for(tmp_path):
    done, found = forecast(tmp_path, ROWS, "--after-calls", "2")
    assert done.stderr.count("torch.Size") == 1
    assert special(found)


def test_a_program_that_compiles_nothing_is_told(tmp_path):
    done, _ = forecast(tmp_path, "print(1)\n")
    assert done.returncode == 2
    assert "nothing could be explored" in done.stderr


SERVED = """
import torch
from warmup import warm_up
def scaled(x, y):
    return x.sin() + y
compiled = torch.compile(scaled, dynamic=True)
def inputs(rows):
    return torch.randn(rows, 4), torch.randn(rows, 1)
warm_up(compiled, *inputs(6))
before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
for rows in (0, 1, 2, 5, 8, 16, 33):
    assert torch.allclose(compiled(*(given := inputs(rows))), scaled(*given))
print(before, torch._dynamo.utils.counters["stats"]["unique_graphs"])
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a compiler")
def test_the_warm_up_serves_with_inductor(tmp_path):
    forecast(tmp_path, ROWS, "--emit", "warmup.py", "--no-prove")
    (tmp_path / "served.py").write_text(SERVED)
    done = start(tmp_path, sys.executable, "served.py")
    assert done.stdout.split() == ["3", "3"], done.stderr


def test_json_holds_the_forecast(tmp_path):
    done, _ = forecast(tmp_path, ROWS, "--format", "json")
    content = json.loads(done.stdout)
    assert content["forecast"]["causes"]


LATER = {4: "l", 12: "k", 24: "lk", 40: "c", 60: "lc", 84: "kc", 112: "lkc", 144: "xlk",
         180: "xlkc"}  # fmt: skip
SIZES = {"x": ("x", 0), "l": ("local_edge_index", 1), "k": ("cross_edge_index", 1),
         "c": ("context", 0)}  # fmt: skip
SERVE = """
import sys
sys.path.insert(0, {workloads!r})
import torch
import graph_net
from warmup import warm_up
torch.manual_seed(0)
model = graph_net.GraphNet(1, 32).eval()
compiled = torch.compile(model, dynamic=True, fullgraph=True, backend="eager")
requests = graph_net.Requests(20, 200, "cpu", 0)
inputs = [requests.inputs(number) for number in range(190)]
counters = torch._dynamo.utils.counters["stats"]
with torch.no_grad():
    {warm}
    late = []
    for number, each in enumerate(inputs):
        before = counters["unique_graphs"]
        compiled(*each)
        if counters["unique_graphs"] != before:
            late.append(number)
print(late)
"""


def test_graph_network_after_three_requests(tmp_path):
    command = (*COMMAND, "-o", "out.cscope.json", "--emit", "warmup.py",
               "--no-prove", str(WORKLOADS / "graph_net.py"), "--requests", "3", "--layers", "1",
               "--backend", "eager")  # fmt: skip
    done = start(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    found = store.load(tmp_path / "out.cscope.json").forecast
    inputs = special(found)
    for request, empty in LATER.items():
        wanted = {SIZES[letter] for letter in empty}
        named = [
            each
            for each in inputs
            if set(each) & set(SIZES.values()) == wanted and set(each.values()) == {"0"}
        ]
        assert named, f"request {request}"
    assert all(call.graphs and not call.error for call in found.calls if call.what == "graph")
    warm = start(tmp_path, sys.executable, "-c", SERVE.format(
        workloads=str(WORKLOADS), warm="warm_up(compiled, *inputs[7])"))  # fmt: skip
    cold = start(tmp_path, sys.executable, "-c", SERVE.format(
        workloads=str(WORKLOADS), warm="pass"))  # fmt: skip
    assert warm.stdout.strip() == "[]", warm.stderr
    assert cold.stdout.strip() == str([0, 1, *LATER])


def test_marks_leave_the_strides_of_what_is_empty_alone(tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(WORKLOADS)!r})
import torch
import torch.fx.experimental._config as shapes
import graph_net
shapes.use_duck_shape = False
model = graph_net.GraphNet(1, 32).eval()
compiled = torch.compile(model, dynamic=True, fullgraph=True, backend="eager")
requests = graph_net.Requests(20, 200, "cpu", 0)
with torch.no_grad():
    for number in range(3):
        inputs = requests.inputs(number)
        for tensor, dimension in zip(inputs, (0, 1, 1, 0, 0, 0)):
            torch._dynamo.decorators.mark_unbacked(tensor, dimension)
        compiled(*inputs)
"""
    _, found = forecast(tmp_path, program)
    assert not found.stopped
    assert found.callables[0].served > 50
    assert {cause.kind for cause in found.causes} <= {"shape.stride", "tensor.stride"}
