"""The README shows what the commands print; UPDATE_README=1 writes it anew."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from compilescope.cli import VERBS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
# <!-- run: compilescope show x --> and the block, or the table, that follows it.
SHOWN = re.compile(
    r"<!-- run: (?P<command>[^\n]+?) -->\n(?P<open>```\w*\n)?"
    r"(?P<text>.*?)(?P<close>```\n|\n(?=<!-- end))",
    re.DOTALL,
)


def printed(command: str) -> str:
    words = shlex.split(command)
    assert words[0] == "compilescope"
    done = subprocess.run(
        [sys.executable, "-m", "compilescope", *words[1:]],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "90", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


def blocks() -> list[re.Match[str]]:
    return list(SHOWN.finditer(README.read_text()))


def test_something_is_shown():
    assert len(blocks()) >= 4


@pytest.mark.parametrize("number", range(len(blocks())))
def test_what_is_shown_is_what_is_printed(number: int):
    block = blocks()[number]
    text = printed(block["command"])
    if os.environ.get("UPDATE_README"):
        whole = README.read_text()
        README.write_text(whole[: block.start("text")] + text + whole[block.end("text") :])
        return
    assert block["text"] == text, f"UPDATE_README=1 pytest {__file__} writes it anew"


def test_every_command_named_is_one():
    named = set(re.findall(r"(?:^|`|/)compilescope ([a-z]+)", README.read_text(), re.MULTILINE))
    assert named <= set(VERBS)
    assert named >= {"probe", "logs", "show", "report", "lint", "demo"}


def test_the_two_commands_are_what_ci_runs():
    text = README.read_text()
    ci = (ROOT / ".ci" / "run").read_text()
    assert "pip install torch==2.13.0" in text
    assert "pytest -n 2" in text
    assert "pytest -n 2" in ci
