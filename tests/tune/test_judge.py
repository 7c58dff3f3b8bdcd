"""How good a trial is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from compilescope.tune import judge
from compilescope.tuning import Measures


def ran(*, how="exited", code=0, refused=(), candidates=(), applied=(), limit=None, **measures):
    return SimpleNamespace(
        session=SimpleNamespace(how=how, code=code, processes=()),
        notes=SimpleNamespace(applied=set(applied)),
        candidates=candidates,
        recorded=SimpleNamespace(
            ended_by_us=limit is not None,
            limit=limit,
            log=SimpleNamespace(exists=lambda: False),
        ),
        trial=SimpleNamespace(measures=Measures(calls=100, **measures), refused=refused),
    )


BASE = ran(recompiles=3, steady=1e-3)


@pytest.mark.parametrize(
    ("measures", "outcome", "why"),
    [
        ({"recompiles": 0}, "solved", ""),
        ({"recompiles": 2}, "better", ""),
        ({"recompiles": 3}, "no better", ""),
        ({"recompiles": 5}, "worse", "2 more recompiles"),
        ({"recompiles": 0, "eager_calls": 4}, "better", ""),
        ({"recompiles": 3, "fallbacks": 1}, "no better", "the limit was reached"),
        ({"recompiles": 0, "breaks": 1}, "solved", "1 more graph break"),
        ({"recompiles": 0, "steady": 3e-3}, "solved", "steady calls 3.0 times as long"),
    ],
)
def test_a_trial_is_held_against_the_program_as_it_is(measures, outcome, why):
    assert judge.outcome(BASE, ran(**measures), "", "agree") == (outcome, why)


def test_other_outputs_are_wrong_however_few_recompiles():
    found = judge.outcome(BASE, ran(recompiles=0), "1 became 2", "differ")
    assert found == ("wrong", "1 became 2")


def test_a_program_that_ends_otherwise_failed():
    assert judge.outcome(BASE, ran(how="failed", code=1), "", "agree")[0] == "failed"
    assert judge.outcome(BASE, ran(code=3), "", "agree")[0] == "failed"


def test_a_program_whose_time_was_over_did_not_fail():
    found = judge.outcome(BASE, ran(how="killed", code=-9, limit=63.0), "", "agree")
    assert found == ("unfinished", "stopped after 63 s")


def test_a_program_that_failed_before_may_end_now():
    base = ran(how="failed", code=1, recompiles=3)
    assert judge.outcome(base, ran(recompiles=0), "", "agree")[0] == "solved"


def test_a_remedy_that_was_never_applied_is_refused():
    found = ran(recompiles=0, refused=("dynamo.x: no such setting",))
    assert judge.outcome(BASE, found, "", "agree") == ("refused", "dynamo.x: no such setting")


def test_a_run_in_which_nothing_could_be_applied_says_nothing_of_the_remedy():
    found = judge.outcome(BASE, ran(recompiles=3, candidates=("a",)), "", "agree")
    assert found[0] == "refused"
    assert "nothing of it reached the program" in found[1]
    found = judge.outcome(BASE, ran(recompiles=3, candidates=("a",), applied=["mark"]), "", "agree")
    assert found == ("no better", "")
