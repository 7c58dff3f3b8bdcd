"""The verdict on results, from errors as the measuring part records them."""

from __future__ import annotations

import pytest

from compilescope.bench.agreement import judged, share


def row(name="output", dtype="float32", **fields):
    return {
        "name": name, "dtype": dtype, "case": 0, "input": 0, "equal": False, "apart": 1e-6,
        "again": 0.0, "eager": 1e-6, "compiled": 1.5e-6, **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"equal": True, "apart": 0.0}, "same"),
        ({}, "within rounding"),
        ({"compiled": 3.9e-6}, "within rounding"),
        ({"compiled": 1e-4}, "differs"),
        ({"eager": 9.5e-8, "compiled": 5.9e-7}, "within rounding"),  # a small convolutional net
        ({"eager": 9.5e-8, "compiled": 5.9e-5}, "differs"),
        ({"dtype": "float64", "eager": 1e-16, "compiled": 1e-9}, "differs"),
        ({"eager": 0.0, "compiled": 2e-7}, "within rounding"),
        ({"again": 0.7}, "random"),
        ({"apart": None}, "differs"),
        ({"eager": None, "compiled": None, "apart": 5e-5}, "within rounding"),
        ({"eager": None, "compiled": None, "apart": 5e-3}, "differs"),
        ({"detail": "dtype float32 became float16"}, "differs"),
    ],
)
def test_one_output(fields, verdict):
    assert judged([row(**fields)], "").verdict == verdict


def test_an_output_that_is_missing_differs():
    found = judged([{"name": "output[1]", "dtype": "float32", "case": 0, "input": 0,
                     "detail": "the compiled call does not return it"}], "")  # fmt: skip
    assert (found.verdict, found.first) == (
        "differs",
        "output[1]: the compiled call does not return it",
    )


def test_the_first_output_that_differs_is_named_with_its_inputs():
    rows = [row(), row(compiled=1e-3, case=1), row("gradient of w", compiled=1.0, case=1)]
    found = judged(rows, "", ["batch=1", "batch=8"])
    assert found.first.startswith("output (batch=8): error 1.0e-03")
    assert [one.name for one in found.rows] == ["gradient of w", "output"]


def test_whole_numbers_must_be_equal_or_as_wrong_as_eager():
    assert judged([row(dtype="int64", eager=0.0, compiled=0.1)], "").verdict == "differs"
    assert judged([row(dtype="int64", equal=True)], "").verdict == "same"
    one = row(dtype="int64", eager=0.0, compiled=1e-9, other=1, of=1000)
    assert judged([one], "", (), ["float32"]).first == "output: 1 of 1,000 elements differs"
    as_wrong = row(dtype="bool", eager=0.01, compiled=0.02, other=20, of=1000)
    assert judged([as_wrong], "").verdict == "within rounding"


def test_a_mean_of_zero_that_is_left_behind_has_any_relative_error():
    one = row("mean, changed in place", eager=1e-6, compiled=2e-5, apart=2e-5)
    assert judged([one], "").verdict == "within rounding"
    assert judged([{**one, "name": "output"}], "").verdict == "differs"


def test_noise_that_is_left_behind_says_nothing_about_the_outputs():
    noise = row("state, changed in place", again=0.9)
    assert judged([row(), noise], "").verdict == "within rounding"
    assert judged([noise], "").verdict == "random"


def test_complex_numbers_are_held_to_those_of_their_parts():
    one = row(dtype="complex64", eager=None, compiled=None, apart=5e-5)
    assert judged([one], "").verdict == "within rounding"


def test_what_is_computed_in_bfloat16_may_be_as_coarse():
    one = row(eager=None, compiled=None, apart=1e-2)
    assert judged([one], "").verdict == "differs"
    assert judged([one], "", (), ["bfloat16"]).verdict == "within rounding"


def test_a_gradient_that_is_noise_does_not_make_the_results_random():
    noise = row("gradient of bias", again=0.9, eager=1.0, compiled=1.2)
    found = judged([row(), noise], "")
    assert found.verdict == "within rounding"
    assert {one.name: one.verdict for one in found.rows}["gradient of bias"] == "not compared"
    still = row("gradient of bias", eager=3e12, compiled=4e13)
    assert judged([row(), still], "").verdict == "within rounding"


def test_a_random_output_says_nothing_about_the_rest():
    found = judged([row(again=0.5), row("gradient of w", compiled=9.0)], "")
    assert (found.verdict, found.first) == ("random", "")


def test_what_is_not_random_beside_random_outputs_must_agree():
    drawn, same = row(again=0.5), row("output[1]", equal=True)
    found = judged([drawn, same], "")
    assert (found.verdict, [one.name for one in found.rows]) == ("random", ["output[1]", "output"])
    wrong = row("output[2]", compiled=0.1)
    found = judged([drawn, same, wrong], "")
    assert (found.verdict, found.first.partition(":")[0]) == ("differs", "output[2]")


def test_on_how_many_inputs_was_compared_is_said():
    rows = [row(), row(input=40), row(input=78)]
    assert share(rows, 79) == "compared on 3 of 79 inputs"
    assert share(rows, 3) == share([], 9) == ""


def test_nothing_to_compare():
    found = judged([], "it does not run in float64")
    assert (found.verdict, found.why) == ("not compared", "it does not run in float64")
    assert "no tensors" in judged([], "").why
