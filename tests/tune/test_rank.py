"""Which trial comes first."""

from __future__ import annotations

from types import SimpleNamespace

from compilescope.tune.rank import rank
from compilescope.tune.remedy import Candidate, config
from compilescope.tuning import Measures


def ran(name, *, ok=True, weight=1, remedies=1, **measures):
    candidates = tuple(
        Candidate(name, name, (config(f"dynamo.{name}{n}", value=1),), weight=weight)
        for n in range(remedies)
    )
    found = Measures(**({"calls": 100, "steady": 1e-3} | measures))
    return SimpleNamespace(
        name=name, ok=ok, candidates=candidates, trial=SimpleNamespace(measures=found)
    )


def names(*trials):
    return [one.name for one in rank(trials)]


def test_wrong_is_last_however_fast():
    assert names(ran("wrong", ok=False, steady=1e-6), ran("right", recompiles=5)) == [
        "right",
        "wrong",
    ]


def test_fewest_recompiles_then_no_warm_up_then_what_it_asks():
    assert names(
        ran("two", recompiles=2),
        ran("warm", warm_up=1.0),
        ran("large", weight=4),
        ran("many", remedies=3),
        ran("one"),
    ) == ["one", "many", "large", "warm", "two"]


def test_a_warm_up_comes_before_a_new_graph_break():
    assert names(ran("broken", breaks=1), ran("warm", warm_up=1.0)) == ["warm", "broken"]


def test_a_fallback_counts_like_a_recompile():
    assert names(ran("eager", fallbacks=1), ran("compiled")) == ["compiled", "eager"]


def test_what_leaves_most_calls_eager_comes_last_of_those_that_are_right():
    assert names(ran("frozen", eager_calls=99), ran("two", recompiles=2, eager_calls=9)) == [
        "two",
        "frozen",
    ]
    assert names(ran("frozen", eager_calls=99), ran("wrong", ok=False))[-1] == "wrong"


def test_noise_does_not_decide_but_twice_the_time_does():
    assert names(ran("more", remedies=2, steady=1e-3), ran("less", steady=1.1e-3)) == [
        "less",
        "more",
    ]
    assert names(ran("slow", steady=3e-3), ran("fast", remedies=2)) == ["fast", "slow"]


def test_of_two_warm_ups_the_one_with_fewer_graphs():
    assert names(
        ran("each", warm_up=1.0, compiles=4), ran("all", warm_up=1.0, compiles=2, remedies=2)
    ) == ["all", "each"]
