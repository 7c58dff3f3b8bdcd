"""The measuring part: what a function returns, what a program compiles, what is compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow]
VARIABLES = {**os.environ, "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("child")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "in_child.py"), str(folder),
         str(folder / "out.json")],
        env=VARIABLES, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out.json").read_text())


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("inputs_missing", "returned a Linear", "return model, inputs"),
        ("not_callable", "returned an int as the model", "return model, inputs"),
        ("no_inputs", "returned an empty list as the inputs", "return model, inputs"),
        ("raises", "raised with no arguments", ""),
        ("nothing_like_it", "has no `nothing_like_it`", "name a function"),
        ("mak", "has no `mak`", "did you mean `make`?"),
        ("gone.py:make", "gone.py does not exist", ""),
    ],
)
def test_what_cannot_be_benched_is_said_in_one_sentence(found, name, text, hint):
    problem = found["problems"][name]
    assert problem["stage"] == "input"
    assert text in problem["text"]
    assert hint in problem["hint"]


def test_an_exception_of_the_user_is_told_with_its_line(found):
    cause = found["problems"]["raises"]["cause"]
    assert cause.startswith("ValueError: no weights here at ")
    assert "programs.py:" in cause


def test_a_size_that_the_function_does_not_take(found):
    assert "sequence=1" in found["shapes"]["text"]
    assert "by name" in found["shapes"]["hint"]
    assert found["good"] is None


def test_equal_results_are_equal_and_beside_float64(found):
    (row,) = found["same"]["rows"]
    assert row["equal"]
    assert row["again"] == 0
    assert 0 < row["eager"] == row["compiled"] < 1e-6
    assert found["same"]["why"] == ""


def test_without_float64_what_has_few_digits_is_compared_beside_float32(found):
    narrow, wide = found["narrow"], found["wide"]
    assert (narrow["reference"], narrow["why"]) == ("float32", "")
    assert all(0 < row["eager"] == row["compiled"] < 0.01 for row in narrow["rows"])
    assert "gradient of weight" in {row["name"] for row in narrow["rows"]}
    assert wide["reference"] == ""
    assert wide["why"].startswith("it does not run in float64: RuntimeError: no kernel for float64")
    assert "eager" not in wide["rows"][0]


def test_a_training_step_compares_the_loss_and_every_gradient(found):
    names = [row["name"] for row in found["train"]["rows"]]
    assert names == ["output", "loss", "gradient of 0.weight", "gradient of 0.bias",
                     "gradient of 2.weight", "gradient of 2.bias"]  # fmt: skip
    assert all(row["equal"] and row["eager"] < 1e-5 for row in found["train"]["rows"])


def test_without_a_loss_gradients_are_drawn_once(found):
    rows = {row["name"]: row for row in found["untrained"]["rows"]}
    assert "loss" not in rows
    assert rows["gradient of 2.weight"]["equal"]


def test_dropout_is_seen_to_be_random(found):
    (row,) = found["dropout"]["rows"]
    assert row["again"] > 0.1


def test_another_result_has_another_error(found):
    (row,) = found["differs"]["rows"]
    assert not row["equal"]
    assert row["compiled"] > 100 * row["eager"]


def test_inputs_that_calls_change_begin_with_the_values_that_they_came_with(found):
    rows = {row["name"]: row for row in found["in_place"]["rows"]}
    assert set(rows) == {"output", "total, changed in place"}
    assert all(row["equal"] and row["eager"] == row["again"] == 0 for row in rows.values())


def test_what_a_call_leaves_behind_is_compared_too(found):
    rows = {row["name"]: row for row in found["leaves_other_values"]["rows"]}
    assert rows["output[0]"]["equal"]
    assert rows["output[1]"]["detail"] == "only the compiled call returns it"
    assert rows["x, changed in place"]["apart"] == pytest.approx(0.5 / 1.5)
    assert rows["count, changed in place"]["apart"] > 0.1


def test_a_buffer_that_is_assigned_anew_is_no_randomness(found):
    rows = {row["name"]: row for row in found["assigned"]["rows"]}
    assert set(rows) == {"output", "mean, changed in place"}
    assert all(row["equal"] and row["again"] == 0 for row in rows.values())


def test_a_cache_that_each_call_adds_to_begins_as_it_came(found):
    (note,) = found["caching"]["notes"]
    assert note.startswith("the calls change what they are given (cache): each gets a copy")
    rows = {row["name"]: row for row in found["caching"]["rows"]}
    changed = ("cache.layers[0]['keys'], changed in place", "cache.sums[0], changed in place")
    assert set(rows) == {"output", *changed}
    assert all(row["equal"] and row["again"] == 0 for row in rows.values())


def test_numbers_of_8_bits_and_of_two_parts_are_compared(found):
    narrow, wide = found["small"]["rows"]
    assert narrow["equal"]
    assert wide["detail"] == "dtype float32 became complex64"


def test_a_cache_that_is_written_to_begins_as_it_came(found):
    (note,) = found["counting_cache"]["notes"]
    assert note.startswith("the calls change what they are given (cache)")
    assert found["in_place"]["notes"] == ["the calls change their inputs in place"]


def test_a_whole_training_step_runs_its_own_backward(found):
    (note,) = found["whole_step"]["notes"]
    assert note.startswith("the calls run their own backward")
    names = [row["name"] for row in found["whole_step"]["rows"]]
    assert names == ["output", "weight, changed in place", "bias, changed in place"]
    assert all(row["equal"] for row in found["whole_step"]["rows"])


def test_every_compile_is_counted(found):
    assert found["many_graphs"] == 70


def test_whole_numbers_are_counted_and_infinities_have_signs(found):
    whole, truth, ends = found["flags"]["rows"]
    for row in (whole, truth):
        assert (row["other"], row["of"], row["apart"]) == (1, 5, 0.2)
    assert ends["apart"] is None
    assert not ends["equal"]


def test_padding_is_behind_and_labels_are_left_out_of_losses(found):
    values, labels = found["padded"]
    assert values == [[1.0] * 5 + [0.0] * 3] * 3
    assert labels == [[1] * 5 + [-100] * 3] * 2


def test_padded_results_are_compared_without_the_padding(found):
    assert found["padded_rows"]["marks"] == ["input.shape[0]"]
    assert [row["compiled"] < 1e-6 for row in found["padded_rows"]["rows"]] == [True] * 3


def test_peak_memory_is_at_least_what_the_call_returns(found):
    assert found["same"]["peak"] >= 4 * 3 * 4


def test_a_program_that_trains(found):
    loop = found["loop"]
    assert (loop["name"], loop["what"]) == ("loss_of", "forward and backward")
    assert loop["weights"] == [3, 1, 1, 1]
    assert loop["inputs"][0] == "x: float32[3, 4]"
    assert loop["options"]["dynamic"] == "True"
    assert loop["modules"] == 1


def test_a_program_is_ended_after_enough_calls(found):
    assert found["short"]["weights"] == [1, 1]
    assert any("ended after these calls" in note for note in found["short"]["notes"])


def test_a_cache_is_kept_as_each_call_found_it(found):
    rows = ["", ", cache.keys: float32[1, 2]", ", cache.keys: float32[2, 2]"]
    assert found["growing"] == [f"x: float32[1, 2]{more}" for more in rows]


def test_a_module_that_compiles_itself_is_called_as_it_is_written(found):
    assert found["own_compile"] == ["Linear", True]


def test_two_callables_of_one_name_can_be_told_apart(found):
    second, none = found["twice"]
    assert second["name"] == "Linear#2"
    assert second["notes"][1].endswith("Linear#2 is measured; not measured: Linear (--only NAME)")
    assert none["hint"] == "one of Linear, Linear#2"


def test_a_program_that_compiles_a_module(found):
    module = found["module"]
    assert (module["name"], module["what"], module["weights"]) == ("Linear", "inference", [2])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nothing", "compiles nothing"),
        ("disabled", "compiles nothing"),
        ("never_called", "never calls what it compiled"),
        ("fails", "failed before it called anything compiled"),
    ],
)
def test_a_program_without_compiled_calls(found, name, text):
    assert text in found[name]["text"]


def test_a_program_is_still_the_main_module_when_its_calls_are_measured(found):
    values, file = found["late"]
    assert values == [3.0, 3.0, 3.0]
    assert file.endswith("late.py")


def test_why_a_program_failed(found):
    assert found["fails"]["cause"].startswith("RuntimeError: no data at ")


def test_remedies_of_tune_are_in_place_once_for_all_calls(found):
    assert found["tuned"] == {
        "graphs": 1,
        "sizes": [[4, 3], [6, 3], [9, 3], [6, 3]],
        "places": ["mark_unbacked input"],
        "cautions": [],
    }


def test_what_tune_pads_at_each_call_is_cut_again(found):
    assert found["tuned_cut"]["graphs"] == 2  # sizes 8 and 16
    assert found["tuned_cut"]["sizes"] == found["tuned"]["sizes"]
    assert found["tuned_cut"]["places"] == ["pad input"]
    assert "from outside at each compiled call" in found["tuned_cut"]["cautions"][0]


def test_remedies_that_cannot_be_applied_are_told(found):
    assert found["tuned_config"]["graphs"] == 2
    (caution,) = found["tuned_config"]["cautions"]
    assert caution == (
        "a remedy could not be applied: dynamo.no_such_thing, this torch has no such setting"
    )
    assert found["tuned_other"]["text"] == (
        "the remedies are for Other, what is measured is Sequential"
    )
