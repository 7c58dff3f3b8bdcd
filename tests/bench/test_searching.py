"""A whole bench without processes: rounds, limits, what is not reached, the cost of the best."""

from __future__ import annotations

import signal
from contextlib import contextmanager

import pytest

from compilescope.bench import run as runs
from compilescope.bench.plan import Plan
from compilescope.bench.process import Found
from compilescope.bench.run import Bench, bench
from compilescope.benching import Setting

MARKED = Setting("default", "marked")
PADDED = Setting("default", "marked", 8)


def recorded(seconds=0.01, compiling=3.0, rounds=12, **more):
    """What a process writes whose eager calls take 20 ms."""

    def block(variant, phase, number, times, compiled=()):
        return {"record": "block", "variant": variant, "case": 0, "phase": phase,
                "round": number, "seconds": times, "compiled": list(compiled)}  # fmt: skip

    levels = {"eager": 0.02, "compiled": seconds}
    made = [
        {"record": "subject", "device": "cuda", "cases": [
            {"name": "", "inputs": ["x", "y"], "weights": [1, 1]}]},
        block("compiled", "warm", 0, [compiling + seconds, seconds], [0]),
        *(block("compiled", "warm", 0, [seconds, seconds]) for _ in range(4)),
        *(block("eager", "warm", 0, [0.02, 0.02]) for _ in range(4)),
        *(block(name, "round", number, [level * (1 + number % 3 / 100)] * 2)
          for number in range(rounds) for name, level in levels.items()),
        {"record": "warm", "quiet": True},
    ]  # fmt: skip
    return Found([*made, *more.get("also", ()), {"record": "end"}], code=0, **more.get("told", {}))


def failed(stage):
    problem = {"record": "problem", "stage": stage, "text": "it fails", "cause": "", "hint": ""}
    return Found([*recorded().records[:1], problem], code=1)


@pytest.fixture
def benched(tmp_path, monkeypatch):
    """Runs a bench whose processes find what `outcomes` says; the settings as they came."""

    def benched(outcomes, *, left=(1000.0,), alone=(), **plan):
        made = Bench(Plan("python", "x", call="x:make", settings=(Setting("default"),),
                          search=True, quiet=True, **plan), tmp_path)  # fmt: skip
        tried, clock, again = [], list(left), list(alone)

        @contextmanager
        def cache():
            yield tmp_path

        def found(setting):
            return outcomes.get(setting.name, recorded(0.03))

        def one(setting, cache, limit, progress, *, measure):
            if again and not measure:
                return again.pop(0)
            tried.append((setting.name, limit))
            return found(setting)

        def side_by_side(jobs, patience, limit, done, progress):
            tried.append(("; ".join(job.setting.name for job in jobs), limit))
            for number, job in enumerate(jobs):
                done(number, found(job.setting))
            return True

        made._processes.cache, made._processes.run = cache, one
        made._processes.left = lambda: clock.pop(0) if len(clock) > 1 else clock[0]
        monkeypatch.setattr(runs, "measure", side_by_side)
        made.run()
        return made.result(1.0), tried

    return benched


def test_all_but_the_last_may_take_half_of_what_is_left(benched):
    _, tried = benched({"marked": recorded(0.01)}, warm_cache=False)
    assert tried == [
        ("default", 500.0),
        ("marked", 500.0),
        ("marked, padded to 8", 500.0),
        ("max-autotune-no-cudagraphs, marked", 500.0),
        ("reduce-overhead, marked", 1000.0),
    ]
    _, tried = benched({"marked": recorded(0.01)}, warm_cache=False, jobs=4)
    assert [limit for _, limit in tried] == [500.0, 1000.0]


@pytest.mark.parametrize("stage", ["compile", "run"])
def test_a_setting_that_fails_or_is_late_does_not_end_the_search(benched, stage):
    late = recorded(rounds=0, told={"ended": "out of time"})
    found, tried = benched({"default": failed(stage), "marked": late}, jobs=4, warm_cache=False)
    outcomes = {one.name: (one.outcome, one.why) for one in found.trials}
    assert outcomes["default"] == ("failed", "it fails")
    assert outcomes["marked"] == ("stopped", "out of time")
    assert outcomes["reduce-overhead, marked, padded to 8"][0] == "measured"
    assert [names.count(";") + 1 for names, _ in tried] == [4, 2]


def test_what_found_no_memory_beside_others_is_tried_alone(benched):
    full = failed("run")
    full.records[-1]["cause"] = "OutOfMemoryError: CUDA out of memory."
    outcomes = {"marked": full}
    found, tried = benched(outcomes, jobs=4, warm_cache=False)
    assert [names for names, _ in tried][1] == "marked"
    assert [one.name for one in found.trials].count("marked") == 1
    found, tried = benched(outcomes, jobs=4, warm_cache=False, left=(1000.0, 0.0))
    assert [names.count(";") for names, _ in tried] == [3]
    assert next(one for one in found.trials if one.name == "marked").outcome == "failed"


def test_what_does_not_apply_is_no_trial(benched):
    found, _ = benched({"marked": failed("setting")}, jobs=3, warm_cache=False)
    assert "marked" not in {one.name for one in found.trials}


def test_what_the_time_did_not_allow_is_named(benched):
    found, tried = benched({"default": recorded(0.01)}, left=(1000.0, 0.0), warm_cache=False)
    assert [name for name, _ in tried] == ["default"]
    assert found.notes[-1] == (
        "not tried, the time is spent (--minutes): marked; marked, padded to 8;"
        " max-autotune-no-cudagraphs; reduce-overhead"
    )


def test_what_the_best_costs_is_measured_alone(benched):
    outcomes = {"marked": recorded(0.01, compiling=9.0)}
    alone = [recorded(compiling=2.0, rounds=0), recorded(compiling=0.5, rounds=0)]
    found, _ = benched(outcomes, jobs=4, alone=alone)
    best = found.trials[found.best]
    assert best.name == "marked"
    assert (best.cold.seconds, best.warm.seconds) == pytest.approx((2.0, 0.5), abs=0.01)
    assert best.cautions == ()
    others = [one for one in found.trials if one is not best]
    assert all("compiled beside" in one.cautions[0] for one in others)


def test_it_is_left_as_it_is_where_the_time_does_not_allow_that(benched):
    found, _ = benched({"marked": recorded(0.01, compiling=300.0)}, jobs=4)
    assert found.trials[found.best].cold.seconds == pytest.approx(300.0, abs=0.01)
    assert "compiled beside 3 others" in found.trials[found.best].cautions[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_two_processes_keeps_what_is_known(tmp_path, monkeypatch, number):
    def one(setting, cache, limit, progress, *, measure):
        if setting == MARKED:
            signal.raise_signal(number)
        return recorded()

    monkeypatch.setattr(runs.Processes, "run", lambda self, *given, **more: one(*given, **more))
    plan = Plan("python", "x", call="x:make", settings=(Setting("default"), MARKED), quiet=True,
                warm_cache=False, keep=tmp_path)  # fmt: skip
    before = signal.getsignal(signal.SIGTERM)
    found = bench(plan)
    assert [one.setting for one in found.trials] == [Setting("default")]
    assert found.notes[-1] == "interrupted before everything was tried"
    assert signal.getsignal(signal.SIGTERM) == before
