"""The watch of a service: exact counts, in order, and little of everything."""

from __future__ import annotations

import threading
import timeit

import pytest

torch = pytest.importorskip("torch")

from compilescope.mitigations import watch  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def scaled(x):
    return x * 2


def compiled(**given):
    return torch.compile(scaled, backend="eager", **{"dynamic": False, **given})


@pytest.mark.parametrize("fullgraph", [True, False])
def test_it_counts_and_tells_why(fullgraph):
    told = []
    watched = watch(compiled(fullgraph=fullgraph), on_recompile=told.append)
    for size in (2, 2, 3, 3, 4):
        assert watched(torch.ones(size)).tolist() == [2] * size
    assert (watched.calls, watched.compiles, watched.recompiles) == (5, 3, 2)
    assert [item.call for item in told] == [2, 4]
    assert "size mismatch at index 0. expected 2, actual 3" in told[0].reason
    assert told[0].function.startswith("scaled (")
    assert [item.recompile for item in watched.last] == [False, True, True]
    assert watched.compiling_calls == 3
    assert 0 < watched.compiling_seconds < watched.seconds


def test_it_goes_on_after_a_reset():
    watched = watch(compiled())
    watched(torch.ones(2))
    torch.compiler.reset()
    watched(torch.ones(2))
    assert (watched.compiles, watched.recompiles) == (2, 0)


def test_what_other_threads_compile_is_not_its_own():
    watched = watch(compiled())
    inside, outside = threading.Event(), threading.Event()

    def slow(x):
        inside.set()
        assert outside.wait(60)
        return x

    holding = watch(slow)
    thread = threading.Thread(target=lambda: holding(torch.ones(2)))
    thread.start()
    assert inside.wait(60)
    watched(torch.ones(2))
    outside.set()
    thread.join(60)
    assert (watched.compiles, holding.compiles) == (1, 0)


def test_an_outer_watch_counts_what_is_compiled_inside():
    inner = watch(compiled())
    outer = watch(lambda x: inner(x) + 1)
    outer(torch.ones(2))
    assert (inner.compiles, outer.compiles) == (1, 1)


def test_a_call_that_fails_counts_and_raises():
    def failing(x):
        raise ValueError("no")

    watched = watch(failing)
    with pytest.raises(ValueError, match="no"):
        watched(1)
    assert watched.calls == 1


def test_memory_is_bounded_and_a_listener_may_raise(caplog):
    def listener(_):
        raise ValueError("listener")

    watched = watch(compiled(), on_recompile=listener, keep=2)
    for size in range(2, 7):
        watched(torch.ones(size))
    assert [item.call for item in watched.last] == [3, 4]
    assert watched.recompiles == 4
    assert "on_recompile" in caplog.text


def test_prometheus_reads_it():
    watched = watch(compiled(), name='a "model"')
    watched(torch.ones(2))
    watched(torch.ones(3))
    lines = watched.prometheus().splitlines()
    assert "# TYPE compilescope_recompiles_total counter" in lines
    assert 'compilescope_calls_total{model="a \\"model\\""} 2' in lines
    assert 'compilescope_recompiles_total{model="a \\"model\\""} 1' in lines


def test_it_is_still_the_model():
    model = torch.nn.Linear(2, 2)
    assert watch(torch.compile(model, backend="eager")).weight is model.weight


def test_a_call_costs_little():
    watched = watch(lambda: None)
    cost = min(timeit.repeat(watched, number=2000, repeat=5)) / 2000
    plain = min(timeit.repeat(lambda: None, number=2000, repeat=5)) / 2000
    # A microsecond or two on an idle machine; the promise is ten.
    assert cost - plain < 10e-6 * max(1, plain / 50e-9)
