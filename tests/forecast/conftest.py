"""`compilescope forecast` as a user runs it: a process of its own, and no settings from outside."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def foretold():
    """What the command did with a program in a folder; its session is out.cscope.json there."""

    def run(folder, text, *options):
        (folder / "program.py").write_text(text)
        variables = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("TORCH", "COMPILESCOPE", "PYTHON"))
        }
        done = subprocess.run(
            [sys.executable, "-I", "-m", "compilescope", "forecast", "-o", "out.cscope.json",
             "--budget", "600", *options, "program.py"],
            cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    return run
