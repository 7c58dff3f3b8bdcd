"""One bad commit in the README's example project: red in pre-commit, in pytest and in `check`.

Each names the same line and the same fix, and the fix turns all three green. The steps are those
of the project's own files; the hook is run as pre-commit would, without its environment.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "examples" / "project"
BAD = '    y = torch.relu(x)\n    print("loss", y.sum())\n'
FIXED = BAD.replace(
    "    print(", "    if not torch.compiler.is_compiling():\n        print("
)  # what every one of the three says

pytestmark = [pytest.mark.torch, pytest.mark.slow]


class Repository:
    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        self.steps = re.findall(
            r"- run: (.*)", (folder / ".github/workflows/compile.yml").read_text()
        )

    def commit(self, body):
        model = (EXAMPLE / "model.py").read_text().replace("    y = torch.relu(x)\n", body)
        (self.folder / "model.py").write_text(model)

    def run(self, command):
        name, *arguments = shlex.split(command)
        return subprocess.run(
            [sys.executable, "-m", name, *arguments],
            cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip

    def step(self, begin):
        (command,) = [step for step in self.steps if step.startswith(begin)]
        return self.run(command)

    def hook(self):
        hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
        (name,) = re.findall(r"- id: (\S+)", (self.folder / ".pre-commit-config.yaml").read_text())
        entry = re.search(rf"- id: {name}\n(?:  .*\n)*?  entry: (.*)", hooks)[1]
        return self.run(f"{entry} model.py train.py")

    def check(self):
        probed = self.step("compilescope probe")
        assert probed.returncode == 0, probed.stderr
        return self.step("compilescope check run.cscope.json.gz --format github")


@pytest.fixture
def repository(tmp_path):
    pytest.importorskip("torch")
    return Repository(tmp_path)


def test_one_bad_commit_is_red_everywhere_and_its_fix_is_green(repository):
    pytest.importorskip("torch")
    for body in (None, FIXED):
        if body:
            repository.commit(body)
        assert repository.hook().returncode == 0
        tested, checked = repository.step("pytest"), repository.check()
        assert tested.returncode == 0, tested.stdout
        assert checked.returncode == 0, checked.stdout + checked.stderr
    repository.commit(BAD)
    linted, tested, checked = repository.hook(), repository.step("pytest"), repository.check()
    assert (linted.returncode, tested.returncode, checked.returncode) == (1, 1, 1)
    sarif = repository.step("compilescope check run.cscope.json.gz --format sarif")
    assert sarif.returncode == 1
    assert "model.py:7:5 in step" in linted.stdout
    assert "model.py:7 in step" in tested.stdout
    assert "file=model.py,line=7" in checked.stdout
    for text in (linted.stdout, tested.stdout, checked.stdout):
        assert "print" in text
        assert "if not torch.compiler.is_compiling():" in text
    log = json.loads((repository.folder / "compile.sarif").read_text())["runs"][0]
    (result,) = [item for item in log["results"] if item["ruleId"].startswith("graph-break/")]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "model.py"
    assert place["region"]["startLine"] == 7
    # Annotations and the pytest text are one diagnosis: the same sentence.
    why = "`print` writes to the outside world, which a graph cannot do."
    assert why in tested.stdout
    assert why in checked.stdout
