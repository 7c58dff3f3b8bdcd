"""`compilescope check` as a user and as CI run it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from compilescope import store
from compilescope.cli import main

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"


@pytest.fixture
def check(tmp_path, monkeypatch, capfd):
    for name in ("clean", "shapes", "breaks", "nothing", "ints"):
        shutil.copy(SESSIONS / f"{name}.cscope.json.gz", tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["compilescope", "check", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return SimpleNamespace(returncode=ended.value.code, stdout=out, stderr=err)

    return run


def configure(folder, text):
    (folder / "pyproject.toml").write_text(text)


def test_a_clean_run_passes(check):
    ran = check("clean.cscope.json.gz", "--max-recompiles", "0", "--no-fallback")
    assert ran.returncode == 0
    assert ran.stdout == (
        "compilescope check: passed\n"
        "  held     max-recompiles: 0 recompiles, 0 allowed\n"
        "  held     no-fallback: no function reached its limit\n"
    )
    assert not ran.stderr


def test_a_crossed_limit_names_cause_line_and_fix(check):
    ran = check("--max-recompiles", "0", "shapes.cscope.json.gz")
    assert ran.returncode == 1
    assert ran.stdout.startswith(
        "compilescope check: 1 limit crossed\n  crossed  max-recompiles: 7 recompiles, 0 allowed\n"
    )
    assert "shapes.py:11 in forward" in ran.stdout
    assert "`mask` had 2 dimensions" in ran.stdout
    assert "fix: Bring `mask` to 2 dimensions" in ran.stdout


def test_nothing_compiled_is_told_and_is_red(check):
    ran = check("nothing.cscope.json.gz", "--max-recompiles", "0")
    assert ran.returncode == 1
    assert "unknown  nothing was compiled" in ran.stdout
    assert check("nothing.cscope.json.gz", "--max-recompiles", "0",
                 "--allow-incomplete").returncode == 1  # fmt: skip


def test_limits_from_the_configuration_and_their_precedence(check, tmp_path):
    configure(
        tmp_path,
        '[tool.compilescope]\nselect = ["CS1"]\n'
        "[tool.compilescope.check]\nmax-recompiles = 7\nno-fallback = true\n",
    )
    assert check("shapes.cscope.json.gz").returncode == 0
    ran = check("shapes.cscope.json.gz", "--max-recompiles", "6")
    assert ran.returncode == 1
    assert "7 recompiles, 6 allowed" in ran.stdout
    assert "no-fallback" in ran.stdout
    assert "no-fallback" not in check("shapes.cscope.json.gz", "--fallback").stdout


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("max-recompile = 1", "did you mean `max-recompiles`?"),
        ('max-recompiles = "many"', "wrong value of `max-recompiles`"),
        ("max-recompiles = -1", "the limit max-recompiles is -1"),
        ("max-compile-seconds = nan", "the limit max-compile-seconds is nan"),
    ],
)
def test_a_wrong_configuration_is_an_error(check, tmp_path, table, message):
    configure(tmp_path, f"[tool.compilescope.check]\n{table}\n")
    ran = check("clean.cscope.json.gz")
    assert ran.returncode == 2
    assert message in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clean.cscope.json.gz"], "no limit is set"),
        (["--max-recompiles", "0"], "no session and no program was named"),
        (["clean.cscope.json.gz", "more", "--max-breaks", "0"], "unexpected `more`"),
        (["gone.cscope.json.gz", "--max-breaks", "0"], "does not exist"),
        (["gone.py", "--max-breaks", "0"], "does not exist"),
        (["clean.cscope.json.gz", "--max-breaks", "0", "--format", "pdf"], "unknown report"),
        (["clean.cscope.json.gz", "--max-breaks", "0", "--update-baseline"], "needs a baseline"),
        (["clean.cscope.json.gz", "--no-new-causes-against", "b.cscope.json"], "baseline b.csc"),
        (["clean.cscope.json.gz", "--max-recompiles", "-1"], "-1 is not in the range"),
        (["clean.cscope.json.gz", "--max-compile-seconds", "inf"], "max-compile-seconds is inf"),
    ],
)
def test_mistakes_are_errors_without_a_traceback(check, arguments, message):
    ran = check(*arguments)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not ran.stdout


def test_the_baseline_is_written_and_then_held_against(check, tmp_path):
    against = ("--no-new-causes-against", "base/line.cscope.json")
    wrote = check("shapes.cscope.json.gz", *against, "--update-baseline")
    assert wrote.returncode == 0
    assert "is the baseline" in wrote.stderr
    assert check("shapes.cscope.json.gz", *against).returncode == 0
    other = check("ints.cscope.json.gz", *against)
    assert other.returncode == 1
    assert "no-new-causes: 1 new recompile cause" in other.stdout
    assert "fix: Hold `rate` in a 0-dimensional tensor" in other.stdout
    before = (tmp_path / "base/line.cscope.json").read_bytes()
    refused = check("nothing.cscope.json.gz", *against, "--update-baseline")
    assert refused.returncode == 1
    assert "the baseline was therefore not written" in refused.stdout
    assert (tmp_path / "base/line.cscope.json").read_bytes() == before


def test_another_torch_than_the_baselines_is_said(check, tmp_path):
    clean = store.load(tmp_path / "clean.cscope.json.gz")
    environment = msgspec.structs.replace(clean.environment, torch="2.7.0")
    old = msgspec.structs.replace(clean, environment=environment)
    store.save(old, tmp_path / "old.cscope.json")
    ran = check("clean.cscope.json.gz", "--no-new-causes-against", "old.cscope.json")
    assert ran.returncode == 0
    assert "note     against the baseline, torch differs: 2.7.0 and 2.13.0+cpu" in ran.stdout


def test_annotations_for_github(check):
    ran = check("shapes.cscope.json.gz", "--max-recompiles", "0", "--format", "github")
    first, *rest = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert first == "::error title=compilescope check::max-recompiles: 7 recompiles, 0 allowed"
    assert all(line.startswith("::") for line in rest)
    assert "fix: Bring `mask` to 2 dimensions" in ran.stdout
    assert "crossed  max-recompiles" in ran.stderr


def test_sarif_holds_only_what_crossed(check, tmp_path):
    ran = check("breaks.cscope.json.gz", "--max-breaks", "0", "--max-recompiles", "99",
                "--format", "sarif", "--output-file", "out.sarif")  # fmt: skip
    assert ran.returncode == 1
    assert not ran.stdout
    (log,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    assert len(log["results"]) == 3
    assert all(item["ruleId"].startswith("graph-break/") for item in log["results"])


def test_json_tells_the_judgement(check):
    ran = check("nothing.cscope.json.gz", "--max-breaks", "0", "--format", "json")
    told = json.loads(ran.stdout)
    assert told["passed"] is False
    assert told["judgement"]["undecided"] == ["nothing was compiled"]


PROGRAM = """
import sys
import torch
print(sys.argv[1:])
step = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
for size in (4, 4, int(sys.argv[-1])):
    step(torch.ones(size))
"""


@pytest.mark.torch
def test_a_script_is_probed_and_keeps_its_own_options(check, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = check("program.py", "--rows", "5", "--max-recompiles", "0", "--after-call", "1")
    assert "['--rows', '5']" in ran.stdout
    assert ran.returncode == 1
    assert "1 recompile after call 1, 0 allowed" in ran.stdout
    assert "session in .compilescope/program-" in ran.stderr


@pytest.mark.torch
def test_after_two_dashes_everything_is_the_programs(check, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = check("--max-recompiles", "0", "--format", "json", "--",
                sys.executable, "program.py", "--max-recompiles", "--", "4")  # fmt: skip
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["passed"] is True
    assert "['--max-recompiles', '--', '4']" in ran.stderr
