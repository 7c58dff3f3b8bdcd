"""When two runs agree."""

from __future__ import annotations

import pytest

from compilescope.tune.agreement import difference


def run(**changes):
    tensor = {"shape": [2], "dtype": "torch.float32", "mean": 1.0, "most": 4.0, "odd": 0,
              "samples": [-2.0, 4.0]}  # fmt: skip
    return {(0, "f", 0): {"result": tensor | changes}}


@pytest.mark.parametrize("changes", [{}, {"samples": [-2.0, 4.0001]}, {"mean": 1.0003}])
def test_rounding_agrees(changes):
    assert difference(run(), run(**changes)) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"samples": [-2.0, 4.1]}, "4 became 4.1"),
        ({"mean": 1.1}, "1 became 1.1"),
        ({"shape": [3]}, "shape [2] became [3]"),
        ({"dtype": "torch.float64"}, "dtype torch.float32 became torch.float64"),
        ({"odd": 1}, "not finite"),
    ],
)
def test_a_difference_is_named(changes, said):
    found = difference(run(), run(**changes))
    assert said in found
    assert found.startswith("result of call 0 of f")


def test_integers_have_no_tolerance():
    exact = {"dtype": "torch.int64"}
    assert difference(run(**exact), run(**exact, samples=[-2.0, 5.0]))


def test_a_number_that_became_a_tensor_is_the_same_number():
    number = {"shape": [], "dtype": "int", "samples": [3.0]}
    tensor = {"shape": [], "dtype": "torch.int64", "samples": [3.0], "mean": 3.0, "most": 3.0}
    before, after = ({(0, "f", 0): {"argument n": one}} for one in (number, tensor))
    assert difference(before, after) == ""
    assert difference(before, {(0, "f", 0): {"argument n": tensor | {"samples": [4.0]}}})


def test_a_call_that_is_missing_is_a_difference():
    assert difference(run(), {}) == "call 0 of f happened in one run only"


def test_a_result_that_is_missing_is_a_difference_but_a_new_buffer_is_none():
    assert difference(run(), {(0, "f", 0): {}})
    more = run()
    more[0, "f", 0]["buffer n"] = {"shape": []}
    assert difference(run(), more) == ""
