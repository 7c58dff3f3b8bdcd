"""background_compile: right answers, no waiting, one thread, an end."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time

import pytest

from compilescope.errors import UsageError

torch = pytest.importorskip("torch")

from compilescope.mitigations import Yielding, background_compile  # noqa: E402

LONG = 60  # seconds that no wait here takes unless something is broken
PLAIN = Yielding(cores=0, switch_interval=0.001)


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


class Gate:
    """A backend that compiles only once it is let through, and counts what runs compiled."""

    def __init__(self, *, is_open=True):
        self.opened = threading.Event()
        self.entered = threading.Event()
        self.compiles, self.runs = 0, 0
        if is_open:
            self.opened.set()

    def __call__(self, graph, examples):
        self.entered.set()
        assert self.opened.wait(LONG)
        self.compiles += 1

        def run(*inputs):
            self.runs += 1
            return graph.forward(*inputs)

        return run


@pytest.fixture
def background():
    made = []

    def make(model, backend=None, **given):
        given.setdefault("yielding", PLAIN)
        made.append(background_compile(model, backend=backend or Gate(), **given))
        return made[-1]

    yield make
    for item in made:
        assert item.close(LONG)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.layer(x)) + x.shape[0]


def kinds(made):
    return [event.what for event in made.events]


def test_the_first_call_is_eager_and_later_ones_are_compiled(background):
    gate, model, x = Gate(), Net(), torch.randn(3, 4)
    made = background(model, gate)
    assert torch.equal(made(x), model(x))
    assert made.wait(LONG)
    rehearsed = gate.runs
    assert torch.equal(made(x), model(x))
    assert gate.runs == rehearsed + 1
    assert kinds(made) == ["queued", "compiled"]


def test_no_call_waits_for_a_compile(background):
    gate, model = Gate(is_open=False), Net()
    made = background(model, gate, dynamic=False)
    x = torch.randn(3, 4)
    made(x)
    assert gate.entered.wait(LONG)
    # The compiler now holds its lock until the gate opens, and these still return.
    for rows in (3, 4, 1, 0):
        other = torch.randn(rows, 4)
        assert torch.equal(made(other), model(other))
    assert gate.compiles == 0
    gate.opened.set()
    assert made.wait(LONG)
    assert gate.compiles == 4


def test_a_compiled_graph_serves_while_another_is_compiled(background):
    gate, model = Gate(), Net()
    made = background(model, gate, dynamic=False)
    x = torch.randn(3, 4)
    made(x)
    assert made.wait(LONG)
    gate.opened.clear()
    gate.entered.clear()
    made(torch.randn(5, 4))
    assert gate.entered.wait(LONG)
    before = gate.runs
    assert torch.equal(made(x), model(x))
    assert gate.runs == before + 1
    gate.opened.set()


def test_while_torch_traces_elsewhere_calls_are_eager(background, monkeypatch):
    """torch's flag for FX tracing is of the process: compiled callables are refused in all."""
    served = background(torch.nn.Linear(3, 2))
    x = torch.ones(4, 3)
    with torch.no_grad():
        served(x)
        assert served.wait(LONG)
        expected = served(x)
        tracer = sys.modules["torch.fx._symbolic_trace"]
        if not hasattr(tracer, "_is_fx_tracing_flag"):
            pytest.skip("the flag is of the thread since torch 2.15")
        monkeypatch.setattr(tracer, "_is_fx_tracing_flag", True)
        assert torch.equal(served(x), expected)
        monkeypatch.undo()


def test_modules_are_called_as_ever_while_torch_fx_traces_in_the_background(background):
    """torch.fx replaces nn.Module.__call__ for the process: NameError in eager calls on 2.11."""
    gate, before = Gate(is_open=False), torch.nn.Module.__call__

    class Traced(torch.nn.Module):
        def forward(self, x):
            gate.entered.set()
            assert gate.opened.wait(LONG)
            return x + 1

    def tracing(graph, examples):
        torch.fx.symbolic_trace(Traced())
        return graph.forward

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
    served = background(model, backend=tracing)
    x, hooked = torch.randn(3, 4), []
    served(x)
    assert gate.entered.wait(LONG)
    model[0].register_forward_hook(lambda *_: hooked.append(1))
    try:
        assert torch.equal(served(x), model[1](model[0](x)))
    finally:
        gate.opened.set()
    assert len(hooked) == 2
    assert served.wait(LONG)
    assert torch.nn.Module.__call__ is before


def test_inputs_may_change_after_the_call(background):
    gate = Gate(is_open=False)
    seen = []

    def model(x):
        return x * 2

    def backend(graph, examples):
        run = gate(graph, examples)

        def noting(*inputs):
            seen.extend(item.clone() for item in inputs if isinstance(item, torch.Tensor))
            return run(*inputs)

        return noting

    made = background(model, backend)
    x = torch.ones(3)
    made(x)
    x.fill_(7)
    x.resize_(0)
    gate.opened.set()
    assert made.wait(LONG)
    assert seen[0].tolist() == [1, 1, 1]
    assert kinds(made) == ["queued", "compiled"]


def test_a_model_that_changes_its_inputs_and_buffers_does_so_once_a_call(background):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.calls = 0

        def forward(self, x):
            self.count += 1
            self.calls += 1
            return x.add_(1)

    model = Counting()
    made = background(model, dynamic=True)
    for number in (1, 2, 3):
        x = torch.ones(3)
        assert made(x).tolist() == [2, 2, 2]
        assert x.tolist() == [2, 2, 2]
        assert made.wait(LONG)
        assert (model.count.item(), model.calls) == (number, number)


def test_a_failed_compile_is_kept_told_and_not_tried_again(background):
    told, tried = [], []

    def broken(graph, examples):
        tried.append(1)
        raise RuntimeError("no such kernel")

    made = background(lambda x: x + 1, broken, on_event=told.append)
    for _ in range(3):
        assert made(torch.ones(2)).tolist() == [2, 2]
        assert made.wait(LONG)
    assert len(tried) == 1
    assert [event.what for event in told] == ["queued", "failed"]
    assert "no such kernel" in str(made.errors[0])


def test_a_listener_that_raises_harms_nobody(background, caplog):
    def listener(event):
        raise ValueError("listener")

    made = background(lambda x: x + 1, on_event=listener)
    assert made(torch.ones(2)).tolist() == [2, 2]
    assert made.wait(LONG)
    assert kinds(made) == ["queued", "compiled"]
    assert "on_event" in caplog.text


def test_one_of_each_kind_waits_and_the_oldest_is_dropped(background):
    gate = Gate(is_open=False)
    made = background(lambda x: x + 1, gate, dynamic=False, max_pending=2)
    made(torch.ones(2))
    assert gate.entered.wait(LONG)
    for size in (3, 3, 4, 4, 5):
        made(torch.ones(size))
    assert made.pending == 3
    dropped = [event.shapes for event in made.events if event.what == "dropped"]
    assert dropped == [((3,),)]
    gate.opened.set()
    assert made.wait(LONG)
    assert gate.compiles == 3


def test_with_dynamic_sizes_all_that_one_graph_takes_is_one_miss(background):
    gate = Gate(is_open=False)
    made = background(lambda x: x + 1, gate, dynamic=True)
    for size in (2, 3, 4, 5):
        made(torch.ones(size))
    made(torch.ones(0))
    assert made.pending == 2
    gate.opened.set()
    assert made.wait(LONG)
    assert gate.compiles == 2


def test_grad_mode_and_autocast_are_those_of_the_call(background):
    model, x = Net(), torch.randn(3, 4)
    made = background(model)
    with torch.no_grad():
        made(x)
    assert made.wait(LONG)
    with torch.inference_mode():
        made(x)
    assert made.wait(LONG)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert made(x).dtype == model(x).dtype == torch.bfloat16
        assert made.wait(LONG)
        assert made(x).dtype == torch.bfloat16
    assert made(x).requires_grad
    assert made.wait(LONG)
    with torch.no_grad():
        assert not made(x).requires_grad
    assert kinds(made).count("compiled") == 4
    assert kinds(made).count("queued") == 4


def test_several_threads_get_what_eager_gives(background):
    gate, model = Gate(), Net().eval()
    made = background(model, gate, dynamic=True)
    wrong = []

    def serve(seed):
        generator = torch.Generator().manual_seed(seed)
        for call in range(60):
            x = torch.randn((call * (seed + 1)) % 7, 4, generator=generator)
            with torch.no_grad():
                if not torch.allclose(made(x), model(x), atol=1e-5):
                    wrong.append((seed, call))

    threads = [threading.Thread(target=serve, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()
    assert made.wait(LONG)
    assert not wrong
    assert not made.errors
    assert gate.runs > 0


def test_graph_breaks_are_served_without_fullgraph(background):
    def model(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    gate = Gate()
    made = background(model, gate, fullgraph=False)
    assert made(torch.ones(2)).tolist() == [4, 4]
    assert made.wait(LONG)
    before = gate.runs
    assert made(torch.ones(2)).tolist() == [4, 4]
    assert gate.runs == before + 2


def test_inputs_can_be_compiled_for_beforehand(background):
    gate = Gate()
    made = background(lambda x: x + 1, gate, warm=[torch.ones(3)])
    assert made.wait(LONG)
    before = gate.runs
    made(torch.ones(3))
    assert gate.runs == before + 1


def test_it_is_still_the_model(background):
    model = Net()
    made = background(model)
    assert made.layer is model.layer
    assert [name for name, _ in made.named_parameters()] == ["layer.weight", "layer.bias"]
    with pytest.raises(AttributeError):
        _ = made.nothing


def test_close_ends_the_thread_and_calls_go_on(background):
    made = background(lambda x: x + 1)
    made(torch.ones(2))
    assert made.wait(LONG)
    assert made.close(LONG)
    assert not made._thread.is_alive()
    assert made(torch.ones(5)).tolist() == [2] * 5
    assert made.pending == 0


def test_a_compile_that_close_cuts_off_is_no_failure(background):
    entered, opened = threading.Event(), threading.Event()

    def backend(graph, examples):
        entered.set()
        assert opened.wait(LONG)
        raise RuntimeError("the pool is closed")

    made = background(lambda x: x + 1, backend)
    made(torch.ones(2))
    assert entered.wait(LONG)
    assert not made.close(0)
    opened.set()
    assert made.close(LONG)
    assert [event.what for event in made.events] == ["queued"]


def test_the_process_gets_its_settings_back(background):
    def settings():
        return (sys.getswitchinterval(), gc.get_freeze_count(), gc.get_threshold())

    before, during = settings(), []

    def backend(graph, examples):
        during.append(settings())
        return graph.forward

    made = background(lambda x: x + 1, backend, yielding=Yielding(cores=0, switch_interval=0.0002))
    made(torch.ones(2))
    assert made.wait(LONG)
    assert made.close(LONG)
    [(interval, frozen, thresholds)] = during
    assert interval == pytest.approx(0.0002)
    assert frozen > before[1]
    assert thresholds[:2] == before[2][:2]
    assert thresholds[2] > 1000  # no full collection
    assert settings() == before


@pytest.mark.parametrize("how", ["whole", "part"])
def test_what_is_compiled_already_is_refused(how):
    model = Net()
    if how == "whole":
        model = torch.compile(model, backend="eager")
    else:
        model.layer.compile(backend="eager")
    with pytest.raises(UsageError, match="compiled already"):
        background_compile(model)


def test_modes_with_cuda_graphs_are_refused():
    with pytest.raises(UsageError, match="reduce-overhead"):
        background_compile(Net(), mode="reduce-overhead")


EXIT = """
import threading, time, torch
from compilescope.mitigations import background_compile
entered = threading.Event()
def backend(graph, examples):
    entered.set()
    while True: time.sleep(0.01)
made = background_compile(lambda x: x + 1, backend=backend)
made(torch.ones(2))
assert entered.wait(60)
print("leaving", flush=True)
"""


def test_the_interpreter_ends_in_the_middle_of_a_compile():
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=4 * LONG, check=False
    )
    assert (done.returncode, done.stdout) == (0, "leaving\n"), done.stderr
    assert done.stderr == ""
    assert time.monotonic() - began < 3 * LONG
