"""What bench takes from a result of tune, and says about it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from compilescope.bench.advice import Advice
from compilescope.bench.plan import Plan
from compilescope.bench.sources import planned
from compilescope.bench.tuned import best_of, overlay
from compilescope.benching import Setting, Trial
from compilescope.commands.bench import command
from compilescope.errors import InputError
from compilescope.model import Environment
from compilescope.tuning import Applied, Measures, Tuning
from compilescope.tuning import Trial as TuneTrial

MARK = {"arguments": [{"callable": "Net", "path": "x", "dimension": 0, "do": "mark_dynamic"}]}
OBSERVED = {"observe": {"outputs": True}, "warm_up": [{"callable": "Net", "inputs": []}]}


def written(folder, content, **fields):
    """A result of tune whose best trial applied `content`."""
    base = TuneTrial(0, (), Measures(recompiles=3), "baseline")
    found = TuneTrial(
        2, (Applied("mark_dynamic", "mark_dynamic(x, 0)"),), Measures(recompiles=1), "better",
        overlay=json.dumps(content),
    )  # fmt: skip
    given = {"name": "serve.py", "command": (), "environment": Environment(torch="2.13.0"),
             "baseline": base, "trials": (found,), "best": 2, **fields}  # fmt: skip
    path = folder / "serve-tuned.json"
    path.write_bytes(msgspec.json.encode(Tuning(**given)))
    return path


def test_the_best_trial_is_applied_without_what_only_a_run_has(tmp_path):
    best = best_of(written(tmp_path, MARK | OBSERVED))
    assert overlay(best) == MARK
    assert best.text.endswith("left 1 of 3 recompiles with: mark_dynamic(x, 0)")


@pytest.mark.parametrize(
    ("content", "fields", "text", "more"),
    [
        (MARK, {"best": None}, "has nothing to apply", "no remedy was better"),
        (OBSERVED, {}, "only warms up", "before it measures"),
        ({"sources": {"a.py": "/tmp/b.py"}}, {}, "cannot apply", "it changes the source"),
        ({"stance": {"name": "eager_on_recompile"}}, {}, "cannot apply", "it needs stance"),
    ],
)
def test_what_bench_cannot_apply(tmp_path, content, fields, text, more):
    with pytest.raises(InputError, match=text) as error:
        overlay(best_of(written(tmp_path, content, **fields)))
    assert more in error.value.cause


def test_another_file_is_no_result_of_tune(tmp_path):
    path = tmp_path / "other.json"
    path.write_text("{}")
    with pytest.raises(InputError, match="no result of tune"):
        best_of(path)


def test_a_folder_is_that_of_the_program(tmp_path):
    written(tmp_path, MARK)
    script = tmp_path / "serve.py"
    script.write_text("")
    parameters = command.make_context("bench", ["x.py"], resilient_parsing=True).params
    plan = planned({**parameters, "command": (str(script),), "tuned": tmp_path})
    assert [one.name for one in plan.settings] == ["as it is", "tuned"]
    assert plan.specification(plan.settings[1], Path("o"), measure=True)["overlay"] == MARK
    assert plan.specification(plan.settings[0], Path("o"), measure=True)["overlay"] == {}
    assert "1 of 3 recompiles" in plan.notes[0]


TRIAL = Trial(Setting(), "measured", recompiles=3, remedies=("Mark `x` dynamic", "Mark `y`"))


def advice(folder, trial=TRIAL, torch="2.13.0", **fields):
    plan = Plan("python", "serve.py", script=("serve.py", "--fast"), folder=folder, **fields)
    made = Advice(plan, trial, torch)
    return made.short, list(made.notes())


def test_recompiles_that_tune_did_away_with_are_told_with_its_file(tmp_path):
    path = written(tmp_path, MARK)
    short, notes = advice(tmp_path)
    assert short == f"tune left 1 of 3 (--tuned {path})"
    assert "mark_dynamic(x, 0)" in notes[0]


def test_a_result_of_tune_on_something_else_is_no_proof(tmp_path):
    written(tmp_path, MARK)
    assert advice(tmp_path, torch="2.11.0")[0] == "run tune first"
    written(tmp_path, MARK, name="other.py")
    assert advice(tmp_path)[0] == "run tune first"
    (tmp_path / "serve-tuned.json").write_text("{")
    assert advice(tmp_path) == ("run tune first", [])


def test_a_search_says_what_tune_would_try(tmp_path):
    short, notes = advice(tmp_path, search=True)
    assert short == "run tune first"
    assert notes == ["`compilescope tune serve.py --fast` would try: Mark `x` dynamic; Mark `y`"]


def test_a_function_cannot_be_tuned(tmp_path):
    written(tmp_path, MARK)
    marked_next = replace(TRIAL, remedies=("Mark `x` dynamic before the first call",))
    for text, setting, way in (
        ("Mark dimension 0 of `x` dynamic before the first call", "", "marked"),
        ("Mark dimension 0 of `x` unbacked before the first call: one", "marked", "unbacked"),
        ("Compile with `dynamic=True`, so sizes are variable", "marked", "True"),
    ):
        trial = replace(TRIAL, remedies=(text,), setting=Setting(dynamic=setting))
        told = advice(tmp_path, trial, call="a.py:make")
        assert told == (f"see what --dynamic {way} saves", [])
        short, notes = advice(tmp_path, trial, call="a.py:make", search=True)
        assert (short, len(notes)) == ("", way == "True")  # it has tried the others
    tried = (Setting(), Setting(dynamic="marked"))
    assert advice(tmp_path, marked_next, call="a.py:make", settings=tried) == ("", [])
    # What no setting of bench does is told in words.
    trial = replace(TRIAL, remedies=("Hold `k` in a tensor",))
    short, (note,) = advice(tmp_path, trial, call="a.py:make")
    assert (short, note.rpartition(": ")[2]) == ("", "Hold `k` in a tensor")
    done = ("Mark dimension 0 of `x` dynamic before the first call",)
    marked = replace(TRIAL, setting=Setting("", "marked"), remedies=done)
    assert advice(tmp_path, marked, call="a.py:make") == ("", [])


def test_there_is_nothing_to_say_without_recompiles_or_with_remedies_in_place(tmp_path):
    assert advice(tmp_path, msgspec.structs.replace(TRIAL, recompiles=0)) == ("", [])
    assert advice(tmp_path, overlay=MARK) == ("", [])
    assert advice(tmp_path, None) == ("", [])
