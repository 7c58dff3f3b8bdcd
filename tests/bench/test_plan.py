"""The command line: settings, sizes, what goes together, and what cannot be benched."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from compilescope import store
from compilescope.bench.plan import settings, shapes
from compilescope.bench.search import candidates
from compilescope.bench.sources import planned, source
from compilescope.benching import Case, Numerics, Range, Setting, Trial
from compilescope.commands.bench import command
from compilescope.commands.bench_options import _spread
from compilescope.errors import InputError, ProgramError, UsageError
from compilescope.model import Called, Session, Signature


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
    ],
)  # fmt: skip
def test_sizes_on_the_command_line(given, expected):
    assert _spread(given) == expected


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
        ({}, "no program was named"),
    ],
)
def test_options_that_do_not_go_together(given, text):
    with pytest.raises(UsageError, match=text):
        planned(options(**given))


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


def search(cases, outcomes):
    """The settings tried, one after the other, each with the ratio that `outcomes` gives it."""
    trials = [trial(Setting(), outcomes.get("as it is", 1.5))]
    for setting in candidates(trials, cases, pads=True):
        wrong = Numerics("differs") if outcomes.get(setting.name) == "wrong" else Numerics("same")
        ratio = 3.0 if wrong.verdict == "differs" else outcomes.get(setting.name, 1.0)
        trials.append(trial(setting, ratio, numerics=wrong))
    return [one.name for one in trials]


def test_the_search_goes_on_from_what_helps():
    assert search(MANY, {"marked": 1.6, "marked, padded to 8": 1.7}) == [
        "as it is",
        "marked",
        "marked, padded to 8",
        "max-autotune-no-cudagraphs, marked, padded to 8",
        "reduce-overhead, marked, padded to 8",
    ]


def test_the_search_does_not_go_on_from_wrong_results():
    assert search(MANY, {"marked": 1.6, "marked, padded to 8": "wrong"})[3] == (
        "max-autotune-no-cudagraphs, marked"
    )


def test_with_one_input_there_is_nothing_to_mark():
    one = (Case("", ("x: float32[4]",), (1,)),)
    assert search(one, {}) == ["as it is", "max-autotune-no-cudagraphs", "reduce-overhead"]
