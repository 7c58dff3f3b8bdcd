"""`compilescope demo`: the first thing that a new user runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compilescope import store


def demo(*arguments):
    command = [sys.executable, "-m", "compilescope", "demo", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.torch
@pytest.mark.slow
def test_demo_explains_its_program_and_says_what_to_do_next():
    pytest.importorskip("torch")
    out = demo("-o", "demo.cscope.json.gz")
    assert out.returncode == 0, out.stderr
    said, _, shown = out.stdout.partition("demo.py · ")
    assert "slow" in said, "the program's own output comes first"
    assert "recompiles" in shown.splitlines()[1]
    assert "fix: " in out.stdout
    assert out.stderr.startswith("$ compilescope probe .compilescope/demo.py\n")
    assert "compilescope report demo.cscope.json.gz --open" in out.stderr
    assert "import torch" in Path(".compilescope/demo.py").read_text(encoding="utf-8")
    assert store.load(Path("demo.cscope.json.gz")).events


def test_demo_needs_a_folder_that_it_can_write_to():
    Path(".compilescope").write_text("a file in the way")
    out = demo()
    assert (out.returncode, out.stdout) == (2, "")
    assert out.stderr.startswith("error: cannot write .compilescope/demo.py\ncause: ")
    assert "Traceback" not in out.stderr
