"""Whole tunings of small programs, in child processes."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.tuning import Tuning

pytestmark = [pytest.mark.torch, pytest.mark.slow]

HEAD = "import torch\nimport torch.nn as nn\ntorch.manual_seed(0)\n"
COUNTER = HEAD + (
    "class M(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.calls = 0\n"
    "    def forward(self, x):\n"
    "        self.calls += 1\n"
    "        return x * 2\n"
    'm = torch.compile(M(), backend="eager")\n'
    "for i in range(5):\n"
    "    m(torch.full((3,), float(i)))\n"
)
SIZES = HEAD + (
    '@torch.compile(backend="eager", dynamic=True)\n'
    "def f(x, y):\n"
    "    return x.sum() + y.sum()\n"
    "for n, k in ((4, 4), (3, 7), (0, 5), (6, 0), (9, 2)):\n"
    "    x, y = torch.ones(n, 2), torch.ones(k, 3)\n"
    "    f(x, y)\n"
)
RANDOM = (
    "import torch\n"
    '@torch.compile(backend="eager", dynamic=False)\n'
    "def f(x):\n"
    "    return x * 2\n"
    "for n in (3, 4, 5):\n"
    "    f(torch.randn(n))\n"
)
QUIET = HEAD + 'f = torch.compile(lambda x: x + 1, backend="eager")\nf(torch.ones(3))\n'


@pytest.fixture
def tune(tmp_path):
    pytest.importorskip("torch")

    def run(text, *options):
        script = tmp_path / "program.py"
        script.write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "compilescope", "tune", "-q", "-o", "out.json", *options,
             "program.py"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        return done, msgspec.json.decode((tmp_path / "out.json").read_bytes(), type=Tuning), script

    return run


def test_a_counter_is_held_in_a_buffer_and_the_change_is_written(tune, tmp_path):
    done, found, script = tune(COUNTER, "--apply")
    best = next(one for one in found.trials if one.number == found.best)
    assert found.baseline.measures.recompiles == 4
    assert (best.measures.recompiles, best.outputs, best.outcome) == (0, "agree", "solved")
    assert found.patch.verified
    assert found.patch.written
    assert 'self.register_buffer("calls", torch.tensor(0), persistent=False)' in script.read_text()
    assert "4 recompiles to 0 (verified)" in done.stdout
    session = store.load(tmp_path / "out.cscope.json.gz")
    first = diagnose(session).causes[0].remedies[0]
    assert (first.id, first.proof) == ("buffer", "verified: 4 recompiles to 0")


def test_sizes_of_zero_are_marked_and_the_source_stays_without_apply(tune):
    done, found, script = tune(SIZES, "--budget", "2")
    best = next(one for one in found.trials if one.number == found.best)
    assert best.measures.recompiles == 0
    assert {one.id for one in best.remedies} <= {"mark_unbacked", "use_duck_shape"}
    assert script.read_text() == SIZES
    assert "mark_unbacked(x, 0)" in found.patch.diff
    assert found.patch.verified, found.patch.why
    assert done.returncode == 0


def test_a_program_that_draws_anew_is_told_and_not_called_wrong(tune):
    done, found, _ = tune(RANDOM, "--budget", "1")
    assert [one.outputs for one in found.trials] == ["random"]
    assert found.trials[0].outcome in ("solved", "better")
    assert "two plain runs differ" in done.stdout


def test_nothing_to_remedy(tune):
    done, found, _ = tune(QUIET)
    assert found.trials == ()
    assert "no recompiles" in done.stdout


def test_a_remedy_that_changes_the_result_is_wrong_and_one_that_torch_lacks_refused(tmp_path):
    from compilescope.tune.remedy import Candidate, argument, compile_with, config
    from compilescope.tune.trials import Attempt, Bench

    script = tmp_path / "program.py"
    script.write_text(SIZES.replace("x.sum()", "x.shape[0]"))
    bench = Bench((sys.executable, str(script)), "program", tmp_path, quiet=True)
    bench.start()
    pad = Candidate("pad", "pad", (argument("f", "x", "pad", dimension=0, multiple=8),))
    found = bench.attempt(Attempt((pad,)))
    assert (found.trial.outcome, found.trial.outputs) == ("wrong", "differ")
    entries = (config("dynamo.no_such_setting", value=1), compile_with("", no_such_argument=1))
    found = bench.attempt(Attempt((Candidate("none", "none", entries),)))
    assert found.trial.outcome == "refused"
    assert found.trial.refused == (
        "torch.compile no_such_argument: this torch has no such argument",
        "dynamo.no_such_setting: this torch has no such setting",
    )
