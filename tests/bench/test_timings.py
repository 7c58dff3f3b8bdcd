"""From recorded blocks to numbers, on records whose truth is known."""

from __future__ import annotations

import random

import pytest

from compilescope.bench.compiler_log import _place
from compilescope.bench.process import Found
from compilescope.bench.timings import cost, overall, pairs, series
from compilescope.bench.trial import trial
from compilescope.benching import Case, Setting
from compilescope.model import Frame


def records(rounds=20, eager=0.010, compiled=0.005, compile_seconds=3.0, **more):
    draw = random.Random(0)

    def around(level):
        return round(level * (1 + 0.02 * draw.random()), 6)

    def block(variant, phase, number, times, compiles=()):
        return {"record": "block", "variant": variant, "case": 0, "phase": phase,
                "round": number, "seconds": times, "compiled": list(compiles)}  # fmt: skip

    made = [
        {"record": "subject", "cases": [{"name": "", "inputs": ["x"], "weights": [1]}],
         "what": "inference", "dtype": "float32"},
        *(block("eager", "warm", 0, [around(eager)]) for _ in range(5)),
        block("compiled", "warm", 0, [compile_seconds + compiled], [0]),
        {"record": "compile", "id": "0/0", "seconds": 0.9 * compile_seconds, "recompile": False,
         "failed": ""},
        *(block("compiled", "warm", 0, [around(compiled)]) for _ in range(5)),
    ]  # fmt: skip
    for number in range(rounds):
        for name, level in (("eager", eager), ("compiled", compiled)):
            made.append(block(name, "round", number, [around(level) for _ in range(3)]))
    return Found([*made, *more.get("also", ()), {"record": "end"}], code=0)


ONE = (Case("", ("x",), (1,)),)


def test_the_ratio_of_what_was_measured():
    found = trial(Setting("default"), records(), None)
    assert found.outcome == "measured"
    assert found.ratio.value == pytest.approx(2.0, rel=0.02)
    assert 1.95 < found.ratio.low < found.ratio.high < 2.05
    assert found.measured[0].rounds == 20
    assert found.measured[0].compiled.count == 60
    assert found.measured[0].compiled.p99 < 0.0052


def test_the_cost_is_what_the_first_call_took_beyond_a_steady_one():
    found = trial(Setting("default"), records(), None)
    assert found.cold.seconds == pytest.approx(3.0, abs=0.001)
    assert found.break_even.value == pytest.approx(3.0 / 0.005, rel=0.03)


def test_the_cost_is_no_less_than_what_torch_says():
    # The first call was faster than those after it, by more than compiling took.
    found = records(eager=20.0, compiled=20.0, compile_seconds=-5.0)
    compiles = [one for one in found.records if one["record"] == "compile"]
    compiles[0]["seconds"] = 1.25
    assert trial(Setting("default"), found, None).cold.seconds == 1.25


def test_what_timing_takes_of_very_short_calls_is_said():
    timing = {"record": "timing", "seconds": 2.5e-7}
    found = records(rounds=30, eager=2e-6, compiled=4e-6, also=[timing])
    (caution,) = trial(Setting("default"), found, None).cautions
    assert caution.startswith("timing takes about 0.2 us of every call")
    found = records(rounds=30, eager=2e-5, compiled=4e-5, also=[timing])
    assert trial(Setting("default"), found, None).cautions == ()


def test_a_second_process_with_another_ratio_makes_the_interval_wider():
    same = trial(Setting("default"), records(), records(compile_seconds=0.5))
    assert (same.ratio, same.cautions) == (trial(Setting("default"), records(), None).ratio, ())
    found = trial(Setting("default"), records(), records(rounds=10, eager=0.004))
    assert found.ratio.value == same.ratio.value
    assert found.ratio.low < 0.85
    assert found.ratio.high > 1.95
    assert found.measured[0].ratio == found.ratio
    assert "in a second process the ratio was 0.80" in " ".join(found.cautions)
    assert found.break_even.high is None  # there, it may never pay back


def test_a_warm_process_has_a_cost_of_its_own():
    found = trial(Setting("default"), records(), records(rounds=0, compile_seconds=0.5))
    assert found.warm.seconds == pytest.approx(0.5, abs=0.001)
    assert found.break_even_warm.value == pytest.approx(100, rel=0.03)


def test_slower_never_pays_back():
    found = trial(Setting("default"), records(compiled=0.02), None)
    assert found.break_even is None
    assert found.ratio.high < 1


def test_warm_up_calls_are_kept_but_not_counted():
    found = trial(Setting("default"), records(), None).measured[0].compiled
    assert len(found.samples) == 66
    assert found.samples[0] == pytest.approx(3.005)
    assert 1 <= found.warm_up <= 8
    assert found.worst < 0.006


def test_an_outlier_is_shown_and_counted():
    found = records()
    found.all("block")[-1]["seconds"][1] = 0.5
    told = trial(Setting("default"), found, None).measured[0].compiled
    assert [told.samples[at] for at in told.outliers] == [0.5]
    assert told.worst == 0.5
    assert told.median.value < 0.006


def test_a_call_that_compiles_in_a_round_is_a_recompile_and_no_steady_call():
    again = {"record": "compile", "id": "0/1", "seconds": 0.9, "recompile": True, "failed": ""}
    found = records(also=[again])
    block = found.all("block")[-1]
    block["seconds"][0], block["compiled"] = 0.9, [0]
    told = trial(Setting("default"), found, None)
    assert (told.recompiles, told.recompile_seconds, told.graphs) == (1, 0.9, 2)
    assert told.measured[0].compiled.worst < 0.006


def test_inputs_count_as_often_as_the_program_brought_them():
    blocks = [
        {"record": "block", "variant": name, "case": 0, "phase": "round", "round": number,
         "seconds": times, "compiled": []}
        for number in range(10)
        for name, times in (("eager", [1.0, 4.0]), ("compiled", [1.0, 1.0]))
    ]  # fmt: skip
    even = pairs(Found(blocks), (Case("", ("a", "b"), (1, 1)),))
    mostly_first = pairs(Found(blocks), (Case("", ("a", "b"), (9, 1)),))
    assert overall(even).ratio().value == pytest.approx(2.5)
    assert overall(mostly_first).ratio().value == pytest.approx(1.3)


def test_cases_are_set_side_by_side():
    found = records()
    other = [{**one, "case": 1, "seconds": [2 * value for value in one["seconds"]]}
             for one in found.all("block")]  # fmt: skip
    two = Found([*found.records, *other])
    made = pairs(two, (*ONE, Case("b", ("x",), (1,))))
    assert [one.case for one in made] == [0, 1]
    assert overall(made).eager[0] == pytest.approx(0.015, rel=0.03)


def test_rounds_of_different_cases_are_paired_by_number():
    blocks = [
        {"record": "block", "variant": name, "case": case, "phase": "round", "round": number,
         "seconds": [1.0 + number], "compiled": []}
        for number in range(12)
        for case in (0, 1)
        for name in ("eager", "compiled")
        if not (case == 1 and number == 0)
    ]  # fmt: skip
    made = pairs(Found(blocks), (*ONE, Case("b", ("x",), (1,))))
    whole = overall(made)
    assert len(whole.eager) == min(len(one.numbers) for one in made)
    assert whole.ratio().value == 1.0
    assert all(value == 1.0 + at for value, at in zip(whole.eager, made[1].numbers, strict=True))


def test_what_was_interrupted_keeps_its_rounds():
    found = records(rounds=4)
    found.records.pop()
    found.ended = "interrupted"
    told = trial(Setting("default"), found, None)
    assert (told.outcome, told.why, told.measured[0].rounds) == ("stopped", "interrupted", 4)


def test_without_rounds_nothing_is_measured():
    told = trial(Setting("default"), records(rounds=0), None)
    assert (told.outcome, told.ratio) == ("failed", None)


def test_a_process_that_died_is_told_with_its_last_words(tmp_path):
    log = tmp_path / "log"
    log.write_text("something\nSegmentation fault\n")
    told = trial(Setting("default"), Found([], log, -11), None)
    assert told.why == "the process ended with code -11: Segmentation fault"


def test_drift_and_load_are_said():
    also = [{"record": "load", "others": 0.4}, {"record": "machine", "round": 0, "clock": 1000},
            {"record": "machine", "round": 10, "clock": 1900}]  # fmt: skip
    found = records(rounds=40, also=also)
    for block in found.all("block"):
        slow = 1 + 0.01 * block["round"]
        block["seconds"] = [value * slow for value in block["seconds"]]
    texts = " ".join(trial(Setting("default"), found, None).cautions)
    assert "eager calls became" in texts
    assert "slower" in texts
    assert "40% of the processors" in texts
    assert "between 1,000 and 1,900 MHz" in texts
    assert "ratio itself" not in texts


def test_nothing_to_be_careful_about():
    assert trial(Setting("default"), records(rounds=30), None).cautions == ()


def test_a_series_without_calls_is_none():
    assert series(Found([]), "eager", 0, (1,)) is None
    assert cost(Found([]), []) is None


def test_a_break_in_the_step_that_bench_makes_is_not_told_with_its_own_file():
    own = Frame(path="/x/agent/_compilescope_bench/steps.py", line=40, function="step")
    assert _place(own) == "the step"
    assert _place(Frame(path="/x/model.py", line=3, function="forward")) == "model.py:3"
