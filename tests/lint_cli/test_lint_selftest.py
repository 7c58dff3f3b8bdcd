"""`compilescope rules --selftest`: verdicts against what the installed torch does."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from compilescope.errors import ProgramError
from compilescope.lint import selftest
from compilescope.lint.loader import load_rules
from compilescope.lint.rule import Rule

BROKEN = """\
import torch

def f(x):
    y = x + 1
    print("y")
    return y * 2

def make():
    return f, [(torch.ones(3),)]
"""
FIXED = BROKEN.replace('    print("y")\n', "")
RECOMPILES = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        return x * self.steps

def make():
    return Net(), [(torch.ones(3),)] * 3
"""
BEHIND_THE_FRONT_END = """\
import torch

def f(x, i):
    return x[i] + 1

def make():
    return f, [(torch.ones(3), torch.tensor(1))]
"""


def rule(code="CS110", since=(2, 6), until=(99, 0)):
    members = {
        "code": code,
        "name": "n",
        "summary": "s",
        "facts": (),
        "since": since,
        "until": until,
    }
    return type("Stub", (Rule,), members)()


def record(**changes):
    plain = {
        "torch": "2.13.0",
        "error": "",
        "eager_error": "",
        "raised": "",
        "broke": "",
        "recompiles": 0,
    }
    return plain | changes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(selftest, "rule_folder", lambda _: str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("one", "before", "after", "status"),
    [
        (rule(), record(broke="x"), record(), "holds"),
        (rule(), record(raised="x"), record(), "holds"),
        (rule(), record(broke="x"), None, "holds"),
        (rule(), record(), record(), "fails"),
        (rule(), record(broke="x"), record(broke="x"), "fails"),
        (rule(), record(broke="x"), record(eager_error="x"), "fails"),
        (rule(), record(eager_error="TypeError: x"), record(), "fails"),
        (rule(), record(error="ModuleNotFoundError: tqdm"), record(), "cannot run"),
        (rule(until=(2, 12)), record(), record(), "other torch"),
        (rule(until=(2, 12)), record(broke="x"), record(), "fails"),
        (rule(since=(2, 14)), record(), record(), "other torch"),
        (rule("CS201"), record(recompiles=2), record(), "holds"),
        (rule("CS201"), record(broke="x"), record(), "fails"),
        (rule("CS401"), None, None, "not judged"),
        (rule(), None, None, "no examples"),
    ],
)
def test_verdicts(folder, monkeypatch, one, before, after, status):
    measured = {}
    for name, given in (("before.py", before), ("after.py", after)):
        if given is not None:
            (folder / name).write_text("")
            measured[str(folder / name)] = given
    monkeypatch.setattr(
        selftest, "_measure", lambda paths, _: {path: measured[path] for path in paths}
    )
    (verdict,) = selftest.selftest([one], "python")
    assert verdict.status == status


@pytest.mark.parametrize(("torch", "status"), [("2.13.0", "fails"), ("2.14.1", "other torch")])
def test_a_rule_that_knows_that_its_example_is_fixed_there(monkeypatch, torch, status):
    python_random = next(one for one in load_rules() if one.code == "CS150")()
    monkeypatch.setattr(
        selftest, "_measure", lambda paths, _: {path: record(torch=torch) for path in paths}
    )
    (verdict,) = selftest.selftest([python_random], "python")
    assert verdict.status == status


def test_an_interpreter_without_torch(folder):
    (folder / "before.py").write_text("")
    with pytest.raises(ProgramError, match="cannot run the examples"):
        selftest.selftest([rule()], "false")


@pytest.mark.torch
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_what_the_child_measures(tmp_path):
    texts = {
        "broken": BROKEN,
        "fixed": FIXED,
        "recompiles": RECOMPILES,
        "behind": BEHIND_THE_FRONT_END,
        "raises": "def make():\n    raise RuntimeError('no')\n",
        "dies": "import os\n\ndef make():\n    os._exit(3)\n",
    }
    paths = []
    for name, text in texts.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        paths.append(str(path))
    done = subprocess.run(
        [sys.executable, str(selftest.CHILD), *paths], capture_output=True, text=True, check=True
    )
    records = dict(zip(texts, map(json.loads, done.stdout.splitlines()), strict=True))
    assert records["broken"]["broke"]
    assert records["behind"]["broke"]
    assert (records["fixed"]["broke"], records["fixed"]["recompiles"]) == ("", 0)
    assert (records["recompiles"]["broke"], records["recompiles"]["recompiles"]) == ("", 2)
    assert records["raises"]["error"] == "RuntimeError: no"
    assert records["dies"]["error"] == "exit code 3"
