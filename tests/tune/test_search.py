"""The order of the trials, against programs that are a table of which remedies they need."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from compilescope.tune.rank import best_of
from compilescope.tune.remedy import Candidate, config, held
from compilescope.tune.search import Search
from compilescope.tune.trials import BudgetSpentError
from compilescope.tuning import Measures

SPENT = "the budget of runs or minutes is spent: --budget and --minutes allow more"


def candidate(name, cause="", kind="", weight=1):
    entry = config(f"dynamo.{name}", value=1)
    return Candidate(kind or name, name, (entry,), cause=cause, weight=weight)


class Bench:
    """Answers for each set of remedies with the recompiles that `count` gives for their names."""

    def __init__(self, count, causes, runs, left, breaking, fails, inputs):
        self.count, self.causes, self.runs = count, causes, runs
        self.left_of = left
        self.breaking, self.fails = set(breaking), set(fails)
        self.done, self.inputs = [], inputs
        self.baseline = self._ran(())

    def left(self):
        return self.runs - len(self.done)

    def attempt(self, attempt):
        if not self.left():
            raise BudgetSpentError
        self.done.append(self._ran(attempt.candidates))
        return self.done[-1]

    def _ran(self, candidates):
        count = self.count({one.text for one in candidates})
        outcome = "solved" if not count else "better" if count < self.count(set()) else "no better"
        breaks = len(self.breaking & {one.text for one in candidates})
        measures = Measures(calls=100, steady=1e-3, recompiles=count, breaks=breaks)
        trial = SimpleNamespace(
            measures=measures, outcome=outcome, left=self.left_of(candidates) if count else ()
        )
        causes = [SimpleNamespace(id=name) for name in self.causes]
        failed = self.fails & {one.text for one in candidates}
        trial.why = "element 0 of tensors does not require grad" if failed else ""
        return SimpleNamespace(
            ok=not failed, candidates=candidates, trial=trial, session=None,
            diagnosis=SimpleNamespace(causes=causes), notes=SimpleNamespace(inputs=self.inputs),
        )  # fmt: skip


def searched(count, plans, runs=12, left=None, breaking=(), fails=(), inputs=()):
    bench = Bench(
        count, tuple(plans), runs, left or (lambda _: tuple(plans)), breaking, fails, inputs
    )
    search = Search(bench, plans=plans)
    search.run()
    tried = [{one.text for one in ran.candidates} for ran in bench.done]
    return tried, {one.text for one in best_of(bench.done).candidates}, search.notes


def plans(*names):
    return {f"cause {name}": [candidate(name, f"cause {name}")] for name in names}


def test_what_does_nothing_is_left_out_before_each_is_tried_alone():
    tried, best, notes = searched(lambda has: 4 - 2 * len(has & {"a", "d"}), plans(*"abcd"))
    assert best == {"a", "d"}
    assert tried[0] == set("abcd")
    assert tried[1:5] == [set("bcd"), set("acd"), set("ad"), {"a"}]
    assert notes == []


def test_what_asks_most_is_the_first_to_be_left_out():
    both = {"a": [candidate("a", "a")], "b": [candidate("b", "b", weight=3)]}
    tried, best, _ = searched(lambda has: 0 if has else 1, both)
    assert tried[1] == {"a"}
    assert best == {"a"}


def test_marks_of_one_kind_are_also_left_out_one_by_one():
    marks = {name: [candidate(name, name, "mark")] for name in "abc"}
    tried, best, _ = searched(lambda has: int("b" not in has), marks)
    assert best == {"b"}
    assert len(tried) == 4  # all, without a, without c, and all of them again, which is known


@pytest.mark.parametrize(("runs", "without"), [(2, "b; or without c"), (3, "c")])
def test_what_the_budget_left_unproved_is_said(runs, without):
    _, best, notes = searched(lambda has: 3 - len(has & {"a", "b", "c"}), plans(*"abc"), runs)
    assert best == set("abc")
    assert notes == [SPENT, f"the best was not tried without {without}"]


def test_runs_are_kept_for_leaving_out():
    # Nothing ever helps against the cause `e`; of the others only `a` does.
    wanted = plans(*"abc") | {"e": [candidate(f"e{n}", "e") for n in range(20)]}
    tried, best, notes = searched(
        lambda has: 2 - len(has & {"a"}),
        wanted,
        runs=6,
        left=lambda chosen: ("e",) if chosen else tuple(wanted),
    )
    assert len(tried) == 6
    assert best == set("abc")
    assert notes == [SPENT, "the best was not tried without b; or without c"]


def test_what_solves_at_the_price_of_a_graph_break_is_not_the_end():
    both = {"a": [candidate("tensor", "a"), candidate("dynamic", "a", weight=2)]}
    tried, best, _ = searched(lambda has: 0 if has else 1, both, breaking=["tensor"])
    assert tried == [{"tensor"}, {"dynamic"}]
    assert best == {"dynamic"}


def test_where_only_a_graph_break_solves_it_a_warm_up_is_tried_too(monkeypatch):
    calls = candidate("calls", kind="warm_up")
    monkeypatch.setattr("compilescope.tune.search.generic", lambda base: ())
    monkeypatch.setattr("compilescope.tune.search.replay", lambda base: (calls,))
    only = {"a": [candidate("tensor", "a")]}
    tried, _, _ = searched(lambda has: 0 if has else 1, only, breaking=["tensor"], inputs=["kept"])
    assert tried[:2] == [{"tensor"}, {"calls"}]


def test_a_cause_that_hid_another_is_kept_in_check_while_that_one_is_remedied():
    def left(chosen):
        return ("b",) if "a" in {one.text for one in chosen} else ("a",)

    both = {name: [candidate(name, name), candidate(f"other {name}", name)] for name in "ab"}
    tried, best, _ = searched(lambda has: int(not {"a", "b"} <= has), both, left=left)
    assert tried[:2] == [{"a"}, {"a", "b"}]
    assert best == {"a", "b"}


def test_a_backward_pass_without_gradients_is_blamed_on_no_grad_alone():
    no_grad = Candidate("same_mode", "no_grad", (held("f", "grad_mode", value=False),), cause="a")
    both = {"a": [no_grad], "b": [candidate("b", "b")], "c": [candidate("c", "c")]}
    tried, best, _ = searched(lambda has: 3 - len(has), both, fails=["no_grad"])
    assert tried[:2] == [{"no_grad", "b", "c"}, {"b", "c"}]
    assert best == {"b", "c"}


def test_runs_are_kept_for_warm_up_calls(monkeypatch):
    calls = candidate("calls", weight=5)
    monkeypatch.setattr("compilescope.tune.search.generic", lambda _: [])
    monkeypatch.setattr("compilescope.tune.search.replay", lambda _: [calls])
    useless = {"a": [candidate(f"a{n}", "a") for n in range(20)]}
    tried, best, _ = searched(lambda has: int("calls" not in has), useless, runs=4, inputs=["kept"])
    assert tried == [{"a0"}, {"a1"}, {"a2"}, {"calls"}]
    assert best == {"calls"}


def test_unbacked_marks_that_break_graphs_are_put_off():
    unbacked = [candidate(f"u{name}", name, "mark_unbacked") for name in "ab"]
    wanted = {
        "a": [unbacked[0], candidate("a", "a")],
        "b": [unbacked[1], candidate("b", "b")],
    }
    tried, best, _ = searched(lambda has: 2 - len(has & {"a", "b"}), wanted, breaking=["ua", "ub"])
    assert tried[:2] == [{"ua", "ub"}, {"a", "b"}]
    assert best == {"a", "b"}


def test_what_ran_well_before_is_not_blamed_for_what_is_new():
    wanted = {
        "a": [candidate("a", "a", "mark")],
        "b": [candidate("idle", "b"), candidate("bad", "b", "mark"), candidate("b", "b")],
    }
    tried, best, _ = searched(lambda has: 2 - len(has & {"a", "b"}), wanted, fails=["bad"])
    assert tried[:3] == [{"a", "idle"}, {"a", "bad"}, {"a", "b"}]
    assert best == {"a", "b"}
