"""The command line: settings, sizes, what goes together, and what cannot be benched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from compilescope import store
from compilescope.bench.plan import settings, shapes
from compilescope.bench.search import Known, Search
from compilescope.bench.sources import planned, source
from compilescope.benching import Case, Numerics, Range, Setting, Trial
from compilescope.commands.bench import command
from compilescope.errors import InputError, ProgramError, UsageError
from compilescope.model import Called, Session, Signature

RECORDED = Path(__file__).parent.parent / "data" / "benched" / "block-bench.json"


def test_every_combination():
    found = settings("default,max-autotune", "None,marked", (8,))
    assert [one.name for one in found] == [
        "dynamic=None, padded to 8",
        "marked, padded to 8",
        "max-autotune, dynamic=None, padded to 8",
        "max-autotune, marked, padded to 8",
    ]
    assert [one.name for one in settings("", "")] == ["as it is"]
    assert [one.name for one in settings("default", "")] == ["default"]
    assert len(settings("all", "all")) == 20


def test_an_unknown_mode_names_the_known():
    with pytest.raises(UsageError) as error:
        settings("fast", "")
    assert "max-autotune-no-cudagraphs" in error.value.hint


def test_sizes():
    assert shapes(["batch=1,8,8", "seq=128"]) == {"batch": (1, 8), "seq": (128,)}
    with pytest.raises(UsageError):
        shapes(["batch"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--shapes", "a=1,2", "b=3", "--train"],
         ["--shapes", "a=1,2", "--shapes", "b=3", "--train"]),
        (["--shapes", "a=1", "--shapes", "b=3"], ["--shapes", "a=1", "--shapes", "b=3"]),
        (["--call", "f.py:make", "-q"], ["--call", "f.py:make", "-q"]),
        (["--seconds", "1", "x.py", "a=1", "b=2"], ["--seconds", "1", "x.py", "a=1", "b=2"]),
        (["-o", "x.json", "train.py"], ["-o", "x.json", "train.py"]),
        (["-q", "train.py"], ["-q", "train.py"]),
        (["-o", "x.json", "--shapes", "a=1", "b=3"],
         ["-o", "x.json", "--shapes", "a=1", "--shapes", "b=3"]),
        (["--train", "x.py", "--shapes", "a=1", "b=2"],
         ["--train", "x.py", "--shapes", "a=1", "b=2"]),
    ],
)  # fmt: skip
def test_sizes_on_the_command_line(given, expected):
    assert command.spread(given) == expected


def options(**given):
    parameters = command.make_context("bench", ["x.py"], resilient_parsing=True).params
    return {**parameters, "command": (), **given}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"call": "f.py:make", "command": ("x.py",)}, "two things"),
        ({"call": "f.py"}, "names no function"),
        ({"command": ("x.py",), "shapes": ("a=1",)}, "--shapes needs --call"),
        ({"call": "f.py:make", "optimizer": "SGD"}, "needs --train"),
        ({}, "nothing to measure was named"),
        ({"call": "f.py:"}, "names no function"),
        ({"call": "f.py:make", "autocast": "int8"}, "--autocast takes no int8"),
    ],
)
def test_options_that_do_not_go_together(given, text):
    with pytest.raises(UsageError, match=text):
        planned(options(**given))


def test_a_result_is_no_program(tmp_path):
    with pytest.raises(InputError, match="is a result of bench") as error:
        source([str(RECORDED)], None)
    assert f"bench --read {RECORDED}" in error.value.hint
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(InputError, match="no Python program"):
        source([str(other)], None)


def test_a_result_of_tune_that_is_missing_is_tunes(tmp_path):
    (tmp_path / "x.py").write_text("")
    given = options(command=(str(tmp_path / "x.py"),), tuned=tmp_path, python=sys.executable)
    with pytest.raises(InputError, match=r"x-tuned\.json does not exist") as error:
        planned(given)
    assert "compilescope tune" in error.value.hint


@pytest.mark.parametrize(
    ("option", "place", "cause"),
    [
        ("-o", "folder", "it is a folder"),
        ("-o", "file/x.json", "file is no folder"),
        ("--page", "file/x.html", "file is no folder"),
        ("--keep", "file", "file is no folder"),
    ],
)
def test_places_are_looked_at_before_anything_is_measured(tmp_path, option, place, cause):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    call = ["--call", "no_such_file.py:make", "--python", sys.executable]
    done = CliRunner().invoke(command, [option, str(tmp_path / place), *call])
    assert isinstance(done.exception, InputError)
    assert cause in done.exception.cause
    assert option in done.exception.hint


def test_a_result_is_read_and_nothing_is_measured():
    done = CliRunner().invoke(command, ["--read", str(RECORDED), "x.py"])
    assert "--read measures nothing" in str(done.exception)
    assert CliRunner().invoke(command, ["--read", str(RECORDED)]).exit_code == 0


def test_help_needs_no_torch():
    done = CliRunner().invoke(command, ["--help"])
    assert done.exit_code == 0
    assert "--shapes" in done.output


def test_a_session_without_inputs(tmp_path):
    path = tmp_path / "run.cscope.json.gz"
    store.save(Session(source="logs", command=("python", "x.py")), path)
    with pytest.raises(InputError, match="no inputs of a compiled call"):
        source([str(path)], None)


def test_a_session_whose_program_is_gone(tmp_path):
    path = tmp_path / "run.cscope.json.gz"
    call = Called(process=0, callable=0, index=0, at=0.0, seconds=1.0, signature=0)
    session = Session(command=("python", "gone.py"), events=(call,), signatures=(Signature(()),))
    store.save(session, path)
    with pytest.raises(InputError, match=r"the program of .* is gone"):
        source([str(path)], None)


def test_a_session_is_run_again(tmp_path):
    script = tmp_path / "here.py"
    script.write_text("")
    path = tmp_path / "run.cscope.json.gz"
    call = Called(process=0, callable=0, index=0, at=0.0, seconds=1.0, signature=0)
    session = Session(
        command=("python", str(script), "--fast"), events=(call,), signatures=(Signature(()),)
    )
    store.save(session, path)
    found = source([str(path)], "python")
    assert found.script == (str(script), "--fast")
    assert "run again" in found.notes[0]


def test_a_script_that_does_not_exist():
    with pytest.raises(ProgramError, match="does not exist"):
        source(["no_such_script.py"], "python")


def test_what_is_not_python_is_refused():
    with pytest.raises(UsageError, match="no Python program"):
        source(["\0command", "make"], "python")


def trial(setting, ratio, **fields):
    return Trial(setting, "measured", ratio=Range(ratio, ratio - 0.01, ratio + 0.01), **fields)


MANY = (Case("", ("x: float32[4]", "x: float32[6]"), (1, 1)),)
ONE = (Case("", ("x: float32[4]",), (1,)),)
AUTOTUNED, GRAPHED = "max-autotune-no-cudagraphs", "reduce-overhead"


def search(cases, outcomes, *, side_by_side=False, device="cuda", backend="inductor"):
    """The settings of each round, each with the ratio that `outcomes` gives it, and the notes."""
    trials, rounds = [], []
    made = Search((Setting(),), side_by_side=side_by_side)
    known = Known(cases, device, backend)
    for wanted in made.rounds(trials, lambda: known):
        fresh = [one for one in wanted if one not in [trial.setting for trial in trials]]
        rounds.append([one.name for one in fresh])
        trials += [tried(one, outcomes.get(one.name, 1.0)) for one in fresh]
    return rounds, made.left_out


def tried(setting, outcome):
    if outcome == "wrong":
        return trial(setting, 3.0, numerics=Numerics("differs"))
    if outcome == "late":
        return Trial(setting, "stopped", "out of time")
    ratio, recompiles = outcome if isinstance(outcome, tuple) else (outcome, 0)
    return trial(setting, ratio, recompiles=recompiles)


def test_the_search_goes_on_from_what_helps():
    found = {"as it is": 1.5, "marked": 1.6, "marked, padded to 8": 1.7}
    assert search(MANY, found)[0] == [
        ["as it is"],
        ["marked", "marked, padded to 8"],
        [f"{AUTOTUNED}, marked, padded to 8", f"{GRAPHED}, marked, padded to 8"],
    ]
    assert search(MANY, found, side_by_side=True)[0] == [
        ["as it is", "marked", "marked, padded to 8", "marked, padded to 8, shape_padding off"],
        [f"{AUTOTUNED}, marked, padded to 8", f"{GRAPHED}, marked, padded to 8"],
    ]


@pytest.mark.parametrize("outcome", ["wrong", "late"])
def test_the_search_goes_on_from_what_was_measured_and_right(outcome):
    found = {"marked": 1.6, "marked, padded to 8": outcome}
    assert search(MANY, found)[0][2][0] == f"{AUTOTUNED}, marked"


def test_the_search_ends_where_nothing_was_measured():
    padded = "marked, padded to 8"
    late = ["as it is", "marked", padded, f"{padded}, shape_padding off"]
    found = dict.fromkeys(late, "late")
    assert search(MANY, found, side_by_side=True)[0][1:] == [[AUTOTUNED, GRAPHED]]


def test_sizes_that_recompile_though_marked_are_tried_unbacked():
    found = {"marked": (1.6, 1), "unbacked": 1.9}
    unpadded = "marked, shape_padding off"
    assert search(MANY, found)[0][2:] == [
        ["unbacked", unpadded],
        [f"{AUTOTUNED}, unbacked", f"{GRAPHED}, unbacked"],
    ]
    assert search(MANY, found, side_by_side=True)[0][1:] == [
        ["unbacked", unpadded, f"{AUTOTUNED}, marked", f"{GRAPHED}, marked"],
        [f"{AUTOTUNED}, unbacked", f"{GRAPHED}, unbacked"],
    ]
    assert search(MANY, found, device="cpu")[0][2] == ["unbacked"]


def test_the_search_goes_on_without_the_padding_that_fixed_a_size():
    found = {"marked": (1.6, 1), "marked, shape_padding off": 1.9}
    assert search(MANY, found)[0][3] == [
        f"{AUTOTUNED}, marked, shape_padding off",
        f"{GRAPHED}, marked, shape_padding off",
    ]


def test_of_equally_fast_settings_the_modes_are_tried_on_the_one_that_compiles_least():
    padded, unpadded = "marked, padded to 8", "marked, padded to 8, shape_padding off"
    found = {"as it is": (1.60, 9), "marked": (1.61, 5), padded: (1.605, 5), unpadded: 1.595}
    assert search(MANY, found, side_by_side=True)[0][1:] == [
        [f"{AUTOTUNED}, {unpadded}", f"{GRAPHED}, {unpadded}"]
    ]
    found[unpadded] = 1.5  # slower for certain
    assert f"{AUTOTUNED}, marked" in search(MANY, found, side_by_side=True)[0][1]


def test_the_autotuner_and_cuda_graphs_go_together_where_each_helps():
    found = {AUTOTUNED: 1.3, GRAPHED: 1.5}
    assert search(ONE, found)[0][1:] == [[AUTOTUNED, GRAPHED], ["max-autotune"]]
    assert search(ONE, found | {AUTOTUNED: 0.9})[0][1:] == [[AUTOTUNED, GRAPHED]]


def test_with_one_input_there_is_nothing_to_mark():
    assert search(ONE, {})[0] == [["as it is"], [AUTOTUNED, GRAPHED]]


def test_what_the_search_leaves_out_is_said():
    many = (Case("", tuple(f"x: float32[{size}]" for size in range(9)), (1,) * 9),)
    for cases, device, backend, modes, words in (
        (ONE, "cpu", "inductor", [AUTOTUNED], "need a GPU"),
        (many, "cuda", "inductor", [f"{AUTOTUNED}, marked"], "each of 9 inputs"),
        (ONE, "cuda", "aot_eager", [], "aot_eager has no modes"),
    ):
        rounds, notes = search(cases, {"marked": 2.0}, device=device, backend=backend)
        assert rounds[-1] == modes
        assert words in notes[-1]
        assert len(notes) == 2 - len(modes)
