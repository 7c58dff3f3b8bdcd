"""Which objects of the program are kept with an input, and for which the running one stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

import compilescope.probe

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Cache:
    def __init__(self):
        self.seen = 3
        self.keys = [torch.ones(2, 3)]
        self.layer = Cache


class Service(Cache):
    def __call__(self):
        return None


def _local():
    class Local(Cache):
        pass

    return Local()


@pytest.fixture
def inputs(monkeypatch):
    agent = Path(compilescope.probe.__file__).parent / "agent"
    monkeypatch.syspath_prepend(str(agent))
    from _compilescope_agent import overlay_inputs

    return overlay_inputs


def test_an_object_that_holds_data_is_kept_as_it_was(inputs):
    cache = Cache()
    [kept] = inputs._copied((cache,), 0)
    cache.seen += 1
    cache.keys[0].add_(1)
    assert (kept.seen, kept.keys[0].sum().item(), kept.layer) == (3, 6.0, Cache)
    assert inputs._alive((kept,), (cache,)) == (kept,)
    assert sum(map(inputs._bytes, inputs._tensors((cache,), 0))) == 24


@pytest.mark.parametrize(
    "make",
    [
        Service,
        _local,
        lambda: torch.nn.Linear(2, 2),
        lambda: torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1),
        object,
    ],
    ids=["callable", "local class", "module", "optimizer", "bare"],
)
def test_what_does_more_than_hold_data_is_the_running_programs_own(inputs, make):
    value = make()
    [kept] = inputs._copied([value], 0)
    assert type(kept) is inputs.Live
    assert inputs._alive([kept], [value]) == [value]
