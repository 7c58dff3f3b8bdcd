"""The callbacks in the real trainers, where those are installed.

`COMPILESCOPE_TEST_PACKAGES` names a folder that has them, for an environment that should not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from compilescope import store
from compilescope.diagnose import diagnose

HERE = Path(__file__).parent
PACKAGES = os.environ.get("COMPILESCOPE_TEST_PACKAGES", "")
CAUSE = "compile/cause/tensor.size x"

pytestmark = [pytest.mark.torch, pytest.mark.slow]


def train(program, *arguments):
    ran = subprocess.run(
        [sys.executable, str(HERE / program), *arguments],
        env={**os.environ, "PYTHONPATH": PACKAGES, "HF_HUB_OFFLINE": "1"},
        capture_output=True, text=True, check=False, cwd=arguments[0],
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1]), ran.stderr


def is_there(name):
    return find_spec(name) is not None or Path(PACKAGES or "/nowhere", name).is_dir()


def check_warning(text, step):
    assert text.count("torch.compile recompiled at step") == 1
    assert f"torch.compile recompiled at step {step}, after the 4 steps of warm-up" in text
    assert "   fix: " in text


def check_session(folder, name):
    session = store.load(Path(folder) / "run.cscope.json.gz")
    assert session.name == name
    assert diagnose(session).counts.recompiles == 1


@pytest.mark.skipif(not is_there("transformers"), reason="transformers is not installed")
def test_transformers_in_front_of_the_reporters(tmp_path):
    told, err = train("train_transformers.py", str(tmp_path), "in-front")
    seen = told["seen"]
    assert [entry["compile/recompiles"] for entry in seen] == [0, 0, 0, 1, 1]
    assert seen[0]["compile/graphs"] == 1
    assert seen[-1]["compile/graphs"] == 2
    assert seen[-1][CAUSE] == 1
    assert seen[-1]["compile/seconds"] > seen[0]["compile/seconds"] > 0
    assert all("loss" in entry or "train_loss" in entry for entry in seen)
    assert told["history"][-1][CAUSE] == 1
    check_warning(err, 7)
    check_session(tmp_path, "Trainer.train")


@pytest.mark.skipif(not is_there("transformers"), reason="transformers is not installed")
def test_transformers_as_an_argument(tmp_path):
    told, err = train("train_transformers.py", str(tmp_path), "as-argument")
    assert told["history"][-1]["compile/recompiles"] == 1
    check_warning(err, 7)


@pytest.mark.skipif(not is_there("lightning"), reason="lightning is not installed")
def test_lightning(tmp_path):
    told, err = train("train_lightning.py", str(tmp_path))
    seen = [entry for entry in told["seen"] if "compile/recompiles" in entry]
    assert [entry["compile/recompiles"] for entry in seen] == [0] * 6 + [1] * 2
    assert any(name.startswith("compile/cause/tensor.size") for name in seen[-1])
    check_warning(err, 7)
    check_session(tmp_path, "Trainer.fit")
