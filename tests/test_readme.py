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
        block = blocks()[number]  # others write while a command runs
        whole = block.string
        README.write_text(whole[: block.start("text")] + text + whole[block.end("text") :])
        return
    assert block["text"] == text, f"UPDATE_README=1 pytest {__file__} writes it anew"


def replaced(pattern: str, text: str) -> None:
    """Hold the part of the README that `pattern` finds, its one group, to `text`."""
    whole = README.read_text()
    found = re.search(pattern, whole, re.DOTALL)
    assert found, pattern
    if os.environ.get("UPDATE_README"):
        README.write_text(whole[: found.start(1)] + text + whole[found.end(1) :])
    else:
        assert found[1] == text, f"UPDATE_README=1 pytest {__file__} writes it anew"


def test_quoted_files_are_the_files():
    for path in re.findall(r"<!-- file: (\S+) -->", README.read_text()):
        opened = rf"<!-- file: {re.escape(path)} -->\n```\w+\n(.*?)```\n"
        replaced(opened, (ROOT / path).read_text())


def test_the_limits_are_those_of_the_example():
    example = (ROOT / "tests/examples/project/pyproject.toml").read_text()
    shown = re.search(r"\[tool.compilescope.check\]\n.*?(?=\n```)", README.read_text(), re.DOTALL)
    assert shown
    assert shown[0].strip() in example


def test_the_keys_are_those_of_the_program():
    from compilescope.tui.keys import readme_table

    replaced(r"<!-- keys -->\n\n(.*?)\n<!-- end -->", readme_table().rstrip() + "\n")


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
