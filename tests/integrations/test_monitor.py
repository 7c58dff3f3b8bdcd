"""What the callbacks share, without any trainer."""

from __future__ import annotations

import pytest

from compilescope import store
from compilescope.integrations.monitor import StepMonitor

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def cold():
    torch._dynamo.reset()


def run(monitor, sizes):
    step = torch.compile(lambda x: x * 2, backend="eager")
    told = []
    for size in sizes:
        step(torch.ones(size))
        told.append(monitor.step())
    return told


def test_one_warning_for_the_first_late_recompile():
    monitor = StepMonitor(warm_up=3, save_to=None)
    monitor.start("run")
    told = run(monitor, [4, 5, 6, 7, 1, 1, 0])
    monitor.stop()
    assert [bool(text) for text in told] == [False, False, False, False, True, False, False]
    assert told[4].startswith("torch.compile recompiled at step 5, after the 3 steps of warm-up")
    assert "`x.shape[0]` was 1 in call 4" in told[4]
    assert "had 4 elements" not in told[4]  # that was in the warm-up


def test_no_warning_where_only_the_warm_up_recompiles():
    monitor = StepMonitor(warm_up=2, save_to=None)
    monitor.start("run")
    assert not any(run(monitor, [4, 5, 6, 7, 8]))
    numbers = monitor.numbers()
    assert numbers["compile/graphs"] == 2
    assert numbers["compile/cause/tensor.size x"] == 1
    monitor.stop()


def test_steps_without_a_compile_diagnose_nothing(monkeypatch):
    monitor = StepMonitor(warm_up=1, save_to=None)
    monitor.start("run")
    run(monitor, [4, 4])
    monitor.numbers()
    monkeypatch.setattr("compilescope.live.watch.diagnose", lambda _: pytest.fail("diagnosed"))
    run_again = [monitor.step() for _ in range(1000)]
    monitor.numbers()
    assert not any(run_again)
    monitor.stop()


def test_before_and_after_the_training_there_is_nothing(tmp_path):
    monitor = StepMonitor(warm_up=1, save_to=tmp_path / "run.cscope.json")
    assert monitor.numbers() == {}
    assert monitor.step() == ""
    monitor.stop()
    assert not (tmp_path / "run.cscope.json").exists()
    monitor.start("run")
    run(monitor, [4])
    monitor.stop()
    monitor.stop()
    assert store.load(tmp_path / "run.cscope.json").name == "run"
    assert monitor.numbers() == {}
