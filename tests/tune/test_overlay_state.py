"""What a call changed, which no mitigation is for."""

from __future__ import annotations

from pathlib import Path

import pytest

import compilescope.probe

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def state(monkeypatch):
    agent = Path(compilescope.probe.__file__).parent / "agent"
    monkeypatch.syspath_prepend(str(agent))
    from _compilescope_agent import overlay_state

    return overlay_state


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.seen = []
        self.register_buffer("sum", torch.zeros(3))


@pytest.mark.parametrize(
    ("write", "what"),
    [
        (lambda model, x: None, ""),
        (lambda model, x: x.mul(2), ""),
        (lambda model, x: x.add_(1), "one of its arguments"),
        (lambda model, x: model.sum.add_(1), "the buffer sum"),
        (lambda model, x: setattr(model, "calls", 1), "self.calls"),
        (lambda model, x: model.seen.append(1), "self.seen"),
    ],
)
def test_the_first_thing_that_a_call_writes_to(state, write, what):
    model, x = Model(), torch.ones(3)
    before = state.state_of(model, (x,), {})
    write(model, x)
    assert state.changed(before, state.state_of(model, (x,), {})) == what
