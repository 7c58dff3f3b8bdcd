"""Warm-up and freeze, in a process whose torch is ours alone."""

from __future__ import annotations

import pytest

from compilescope.errors import UsageError

torch = pytest.importorskip("torch")

from compilescope.mitigations import freeze_after_warm_up, warm_up  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    yield
    torch.compiler.set_stance("default")
    torch.compiler.reset()


def doubled(*, fullgraph=True):
    return torch.compile(
        lambda x, scale=2: x * scale, backend="eager", dynamic=False, fullgraph=fullgraph
    )


@pytest.mark.parametrize("fullgraph", [True, False])
def test_a_warm_up_compiles_each_topology_once_and_knows_when_it_is_done(fullgraph):
    done = warm_up(
        doubled(fullgraph=fullgraph), [torch.ones(3), (torch.ones(4),), {"x": torch.ones(5)}]
    )
    assert done.compiles == (1, 1, 1)
    assert (done.rounds, done.stable, len(done.seconds)) == (2, True, 3)


def test_arguments_and_keywords_come_as_a_pair():
    seen = []

    def model(x, scale):
        seen.append(scale)
        return x * scale

    warm_up(model, [((torch.ones(2),), {"scale": 3})])
    assert set(seen) == {3}


def test_the_topologies_are_left_as_they_were():
    given = torch.ones(3)
    warm_up(torch.compile(lambda x: x.add_(1), backend="eager"), [given])
    assert given.tolist() == [1, 1, 1]


def test_a_warm_up_that_never_settles_says_so():
    calls = []
    compiled = doubled()

    def model(x):
        calls.append(x)
        return compiled(x, len(calls))

    done = warm_up(model, [torch.ones(2)], rounds=2)
    assert not done.stable
    assert "still compile" in str(done)


@pytest.mark.parametrize("topologies", [[], [7]])
def test_what_is_no_topology_is_refused(topologies):
    with pytest.raises(UsageError, match="topolog"):
        warm_up(doubled(), topologies)


def test_after_a_freeze_new_inputs_run_eagerly_and_known_ones_compiled():
    runs = []

    def model(x):
        if not torch.compiler.is_compiling():
            runs.append(len(x))
        return x + 1

    compiled = torch.compile(model, backend="eager", dynamic=False)
    warm_up(compiled, [torch.ones(3)])
    with freeze_after_warm_up():
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2]
        assert compiled(torch.ones(4)).tolist() == [2, 2, 2, 2]
    assert runs == [4]
    compiled(torch.ones(5))
    assert runs == [4]


def test_a_freeze_may_fail_instead_and_is_released():
    compiled = doubled()
    warm_up(compiled, [torch.ones(3)])
    frozen = freeze_after_warm_up("fail")
    with pytest.raises(RuntimeError, match="fail_on_recompile"):
        compiled(torch.ones(4))
    frozen.release()
    frozen.release()
    assert compiled(torch.ones(4)).tolist() == [2, 2, 2, 2]


def test_a_freeze_has_two_ways():
    with pytest.raises(UsageError, match="panic"):
        freeze_after_warm_up("panic")
