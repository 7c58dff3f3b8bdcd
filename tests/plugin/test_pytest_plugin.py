"""The plugin as a project uses it: a pytest of its own in a folder of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

MODULE = """
import torch

@torch.compile(backend="eager")
def scaled(x):
    return x * 2
"""
TESTS = """
import pytest
import torch
from module import scaled

def test_fixture_passes(compile_watch):
    scaled(torch.ones(3))
    compile_watch.assert_graphs(1)

def test_fixture_sees_its_own_compile(compile_watch):
    scaled(torch.ones(3))
    compile_watch.assert_graphs(1)

def test_fixture_fails(compile_watch):
    for size in (3, 4):
        scaled(torch.ones(size))
    compile_watch.assert_no_recompiles()

@pytest.mark.no_recompile
def test_marker_fails():
    for size in (3, 4):
        scaled(torch.ones(size))

@pytest.mark.no_recompile(after=2)
def test_marker_allows_a_warm_up():
    for size in (3, 4, 5):
        scaled(torch.ones(size))

@pytest.mark.no_recompile
def test_marker_and_fixture(compile_watch):
    for size in (3, 4):
        scaled(torch.ones(size))
    compile_watch.assert_graphs(2)

@pytest.mark.no_recompile
def test_marker_where_nothing_is_compiled():
    pass

@pytest.mark.no_recompile
def test_own_failure_comes_first():
    scaled(torch.ones(3))
    assert 1 == 2

@pytest.mark.no_recompile(3)
def test_marker_misused():
    pass
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "module.py").write_text(MODULE)
    (tmp_path / "test_project.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --strict-markers\n")

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        ).stdout  # fmt: skip

    return run


def outcomes(text):
    return {
        line.split()[1].rpartition("::")[2]
        for line in text.splitlines()
        if line.startswith("FAILED")
    }


FAILED = {
    "test_fixture_fails", "test_marker_fails", "test_marker_and_fixture",
    "test_marker_where_nothing_is_compiled", "test_own_failure_comes_first", "test_marker_misused",
}  # fmt: skip


def test_fixture_and_marker(project):
    out = project("-q", "-rf")
    assert outcomes(out) == FAILED
    assert "6 failed, 3 passed" in out
    assert "module.py:6 in scaled" in out
    assert "fix: Mark dimension 0 of `x` dynamic before the first call" in out
    assert "no_recompile takes nothing but `after=N`" in out
    assert "nothing was compiled" in out
    assert "assert 1 == 2" in out
    # The frames of the tool say nothing about the user's test.
    assert "compilescope/live" not in out
    assert "pytest_plugin.py" not in out
    assert "torch.__trace" not in out


def test_under_xdist(project):
    pytest.importorskip("xdist")
    out = project("-q", "-rf", "-n", "2")
    assert outcomes(out) == FAILED
    assert "6 failed, 3 passed" in out
    assert "module.py:6 in scaled" in out


def test_unused_it_imports_nothing(tmp_path):
    (tmp_path / "test_plain.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    assert 'compilescope.pytest_plugin' in sys.modules\n"
        "    assert not {'torch', 'msgspec', 'rich', 'compilescope.live'} & set(sys.modules)\n"
    )
    out = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    assert "1 passed" in out, out
