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
from compilescope.forecast.naming import named

pytestmark = [pytest.mark.torch, pytest.mark.slow]  # a start of torch each
WORKLOADS = Path(__file__).parents[1] / "workloads"
COMMAND = (sys.executable, "-I", "-m", "compilescope", "forecast")
PATIENT = ("--budget", "600")  # on a slow machine the search has to end by itself, too


def start(folder, *arguments):
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TORCH", "COMPILESCOPE", "PYTHON"))
    }
    return subprocess.run(
        arguments, cwd=folder, env=variables, capture_output=True, text=True, check=False,
        timeout=1800,
    )  # fmt: skip


def forecast(folder, text, *options):
    (folder / "program.py").write_text(text)
    done = start(folder, *COMMAND, "-o", "out.cscope.json", *PATIENT, *options, "program.py")
    assert done.returncode in (0, 1), done.stderr
    return done, store.load(folder / "out.cscope.json").forecast


def special(found, number=None):
    return [
        {(change.source, change.dimension): change.value for change in call.changes}
        for call in found.calls
        if call.what == "graph" and number in (None, call.callable)
    ]


ROWS = """
import torch
@torch.compile(backend="eager", dynamic=True)
def scaled(x, y):
    return x.sin() + y
for rows in (5, 7, 9):
    print(scaled(torch.randn(rows, 4), torch.randn(rows, 1)).shape)
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A session of `probe --forecast`, its folder and what the command printed."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "program.py").write_text(ROWS)
    done = start(folder, sys.executable, "-I", "-m", "compilescope", "probe", "--forecast",
                 "-o", "out.cscope.json", "program.py")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder, done


def again(folder, *options):
    return start(folder, *COMMAND, "--session", "out.cscope.json", *options)


def test_a_probe_with_forecast_leaves_the_program_as_it_is(rows):
    _, done = rows
    shapes = [f"torch.Size([{count}, 4])" for count in (5, 7, 9)]
    assert done.stdout.split("\n")[:3] == shapes
    assert "compilescope forecast --session out.cscope.json" in done.stderr


def test_sizes_that_varied_together_are_varied_together(rows):
    found = store.load(rows[0] / "out.cscope.json").forecast
    inputs = special(found)
    assert {("x", 0): "1", ("y", 0): "1"} in inputs
    assert {("x", 0): "0", ("y", 0): "0"} in inputs
    assert all(set(each) <= {("x", 0), ("y", 0)} for each in inputs)
    assert not found.stopped


def test_the_gate_is_crossed_above_its_number_and_not_at_it(rows):
    folder, _ = rows
    count = len(special(store.load(folder / "out.cscope.json").forecast))
    within, crossed = (again(folder, "--check", str(most)) for most in (count, count - 1))
    assert (within.returncode, crossed.returncode) == (0, 1)
    assert f"{count} inputs would recompile, within {count}" in within.stderr
    assert f"more than {count - 1}" in crossed.stderr


def test_json_holds_the_forecast(rows):
    content = json.loads(again(rows[0], "--format", "json").stdout)
    assert content["forecast"]["causes"]


def test_what_never_varied_stays_and_the_program_ends_after_the_calls_asked_for(tmp_path):
    program = ROWS.replace("(5, 7, 9)", "(5, 5, 5)").replace(", dynamic=True", "")
    done, found = forecast(tmp_path, program, "--check", "0", "--after-calls", "2")
    assert done.returncode == 0
    assert special(found) == []
    assert found.callables[0].tried
    assert "Nothing that varied so far would recompile: 1 input tried" in done.stdout
    assert "torch.Size" not in done.stdout
    assert done.stderr.count("torch.Size") == 1


SEVERAL = """
import torch
@torch.compile(backend="eager", dynamic=True)
def checked(x):
    assert x.shape[0] > 1
    return x.sin()
class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        return x * self.step
counting = torch.compile(Counting(), backend="eager")
@torch.compile(backend="eager", dynamic=True)
def image(x):
    return x.flip(0).sum()
for size in (8, 12, 14):
    checked(torch.randn(size, 4))
    counting(torch.randn(3))
    image(torch.randn(size, size))
"""


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    _, found = forecast(tmp_path_factory.mktemp("several"), SEVERAL)
    assert [one.name for one in found.callables] == ["checked", "Counting", "image"]
    return found


def test_inputs_that_the_program_cannot_take_are_no_forecast(several):
    assert special(several, several.callables[0].callable) == []
    assert several.callables[0].invalid >= 2


def test_state_that_moves_on_recompiles_at_each_call(several):
    number = several.callables[1].callable
    assert any(call.repeat for call in several.calls if call.callable == number)
    assert any(cause.source.endswith("step") for cause in several.causes)


def test_squares_of_one_size_each_may_become_wide(several):
    inputs = special(several, several.callables[2].callable)
    assert any(len(each) == 1 and not {"0", "1"} & set(each.values()) for each in inputs)


def test_a_program_that_compiles_nothing_is_told(tmp_path):
    (tmp_path / "program.py").write_text("print(1)\n")
    done = start(tmp_path, *COMMAND, "program.py")
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
    assert torch.allclose(compiled(*(given := inputs(rows))), scaled(*given), atol=1e-5)
print(before, torch._dynamo.utils.counters["stats"]["unique_graphs"])
"""


def test_what_has_not_varied_stands_apart(rows):
    found = store.load(rows[0] / "out.cscope.json").forecast
    columns = next(one for one in found.fixed if one.kind == "size")
    assert (columns.source, columns.dimension, columns.held) == ("x", 1, "4")
    assert columns.values[-1] in ("0", "1")
    assert found.warmup.seconds
    shown = again(rows[0]).stdout
    assert f"x.shape[1], so far 4: {columns.graphs} graph" in shown


def test_a_remedy_is_proved_by_a_forecast_under_it(rows):
    done = again(rows[0], "--remedies", "-o", "remedies.cscope.json")
    best = store.load(rows[0] / "remedies.cscope.json").forecast.remedies[0]
    assert "mark_unbacked" in best.ids
    assert best.graphs == 0 or all(text.endswith("strides") for text in best.left)
    said = " ".join(done.stdout.split())
    assert f"With mark_unbacked on 2 dimensions, use_duck_shape = False: {best.graphs}" in said


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a compiler")
def test_the_warm_up_serves_with_inductor(rows):
    folder, _ = rows
    again(folder, "--emit", "warmup.py", "--no-prove")
    (folder / "served.py").write_text(SERVED)
    done = start(folder, sys.executable, "served.py")
    assert done.stdout.split() == ["3", "3"], done.stderr


LATER = {4: "l", 12: "k", 24: "lk", 40: "c", 60: "lc", 84: "kc", 112: "lkc", 144: "xlk",
         180: "xlkc"}  # fmt: skip
SIZES = {"x": ("x", 0), "l": ("local_edge_index", 1), "k": ("cross_edge_index", 1),
         "c": ("context", 0)}  # fmt: skip
# Without sizes of 1, which no request has: a third of the inputs to try.
SPEC = """
[arguments]
x = {shape = ["0|2..400", "*"]}
local_edge_index = {shape = ["*", "0|2..400"]}
local_edge_scale = {shape = ["0|2..400", "*"]}
cross_edge_index = {shape = ["*", "0|2..400"]}
cross_edge_scale = {shape = ["0|2..400", "*"]}
context = {shape = ["0|2..400", "*"]}
"""
SERVE = f"""
import sys
sys.path.insert(0, {str(WORKLOADS)!r})
import torch
import graph_net
from warmup import warm_up
torch.manual_seed(0)
model = graph_net.GraphNet(1, 32).eval()
compiled = torch.compile(model, dynamic=True, fullgraph=True, backend="eager")
requests = graph_net.Requests(20, 200, "cpu", 0)
counters = torch._dynamo.utils.counters["stats"]
late = []
with torch.no_grad():
    for number in range(190):
        inputs = requests.inputs(number)
        if number == 0:
            warm_up(compiled, *inputs)
        before = counters["unique_graphs"]
        compiled(*inputs)
        if counters["unique_graphs"] != before:
            late.append(number)
print(before, late)
"""


def test_graph_network_after_three_requests(tmp_path):
    command = (*COMMAND, "-o", "out.cscope.json", "--emit", "warmup.py", "--no-prove", *PATIENT,
               str(WORKLOADS / "graph_net.py"), "--requests", "3", "--layers", "1", "--backend",
               "eager")  # fmt: skip
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
    assert not found.callables[0].cut
    warm = start(tmp_path, sys.executable, "-c", SERVE)
    graphs, _, late = warm.stdout.strip().partition(" ")
    assert late == "[]", warm.stderr
    assert int(graphs) > len(LATER)


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
    (tmp_path / "spec.toml").write_text(SPEC)
    _, found = forecast(tmp_path, program, "--spec", "spec.toml")
    assert not found.stopped
    assert all(named(cause).endswith("strides") for cause in found.causes)
    assert found.callables[0].served > 50
    assert {cause.kind for cause in found.causes} <= {"shape.stride", "tensor.stride"}


OBJECT = """
import dataclasses, torch
@dataclasses.dataclass
class Graph:
    edges: torch.Tensor
@torch.compile(backend="eager")
def f(g):
    return g.edges.sin()
for n in (3, 5):
    f(Graph(torch.ones(n)))
"""


def test_what_an_object_holds_is_said_to_be_unknown(tmp_path):
    done, found = forecast(tmp_path, OBJECT)
    assert found.callables[0].closed == ("g",)
    assert "Nothing that could be varied would recompile" in done.stdout
    assert "Unknown: other sizes inside of g." in done.stdout
