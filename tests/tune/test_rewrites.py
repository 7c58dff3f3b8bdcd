"""Rewrites of source that a trial runs: what they change, and where they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.rewrites import (
    corrected,
    fixable,
    texts,
    without_condition,
    without_shortcut,
)
from compilescope.tune.source_edits import CannotEditError

SHORTCUT = """def mask(rows):
    if rows.all():
        return None
    if rows.any():
        return 1
    else:
        return 2
"""
COUNTER = """import torch

class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 2

m = torch.compile(M())
"""


def test_an_early_return_is_left_out_and_nothing_else():
    changed = without_shortcut(SHORTCUT, 2)
    assert changed == SHORTCUT.replace("    if rows.all():\n        return None\n", "")


@pytest.mark.parametrize("line", [1, 3, 4])
def test_what_is_no_early_return_is_refused(line):
    with pytest.raises(CannotEditError):
        without_shortcut(SHORTCUT, line)


def test_what_a_condition_guards_is_done_always():
    start, end = "def f(x, n):\n    # whole windows\n", "    return x\n"
    inside = "    if n > 0:\n        x = pad(x)\n        n = 0\n"
    done = "    x = pad(x)\n    n = 0\n"
    assert without_condition(start + inside + end, 3) == start + done + end


@pytest.mark.parametrize("body", ["return 1", "x = 1\n    else:\n        x = 2", "raise E"])
def test_a_condition_that_decides_more_stays(body):
    with pytest.raises(CannotEditError):
        without_condition(f"def f(x, n):\n    if n > 0:\n        {body}\n    return x\n", 2)


def test_a_fix_of_lint_is_made_in_the_function_that_is_named(tmp_path):
    path = tmp_path / "m.py"
    [finding] = fixable(path, COUNTER)
    assert "register_buffer" in corrected(COUNTER, path, finding.code, finding.function)
    with pytest.raises(CannotEditError):
        corrected(COUNTER, path, finding.code, "M.other")


def test_rewrites_of_one_file_follow_each_other(tmp_path: Path):
    path = tmp_path / "m.py"
    path.write_text(SHORTCUT + "\n" + SHORTCUT)
    entries = [Entry("rewrite", {"path": str(path), "do": "drop_if", "line": n}) for n in (10, 2)]
    changed, refused = texts([Candidate("drop", "drop", tuple(entries))])
    assert changed[str(path.resolve())].count("return None") == 0
    assert refused == []
    _, refused = texts([Candidate("drop", "drop", (entries[0], entries[0]))])
    assert "no early return" in refused[0]


def test_a_rewrite_for_two_causes_is_made_once_and_refused_for_none(tmp_path: Path):
    path = tmp_path / "m.py"
    path.write_text(COUNTER)
    [finding] = fixable(path, COUNTER)
    content = {"path": str(path), "do": "lint", "code": finding.code, "function": finding.function}
    entries = (Entry("rewrite", content),)
    both = [Candidate("lint", "fix", entries, cause=cause) for cause in ("one", "other")]
    changed, refused = texts(both)
    assert "register_buffer" in changed[str(path.resolve())]
    assert refused == []
