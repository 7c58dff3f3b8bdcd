"""The agent's way in: other site customisations go on working, and nothing of it shows."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path

import pytest

AGENT = Path(__file__).parents[2] / "compilescope" / "probe" / "agent"

SEEN = """
import sys
names = [name for name in sys.modules if "customize" in name]
print(names, [getattr(sys.modules[name], "MARK", None) for name in names])
print(sys.path[1:], sys.excepthook is sys.__excepthook__)
print(sys.modules["sitecustomize"].__file__ if "sitecustomize" in sys.modules else None)
"""


@pytest.mark.parametrize(
    "text",
    [
        "MARK = 'theirs'",
        "import sys; print('hello from', __name__); sys.path.append('/added')",
        "raise RuntimeError('theirs is broken')",
        "import no_such_module_at_all",
    ],
)
def test_other_sitecustomize(runner, text):
    runner.write("theirs/sitecustomize.py", text)
    runner.variables["PYTHONPATH"] = str(runner.folder / "theirs")
    program = runner.write("program.py", SEEN)
    plain, probed = runner.plain(program), runner.probe("-q", program)
    assert (probed.stdout, probed.stderr) == (plain.stdout, plain.stderr)
    assert plain.stdout + plain.stderr


def test_no_other_customisation(runner):
    program = runner.write("program.py", SEEN)
    plain, probed = runner.plain(program), runner.probe("-q", program)
    assert (probed.stdout, probed.stderr) == (plain.stdout, plain.stderr)


def test_usercustomize(runner):
    home = runner.folder / "base"
    site = f"lib/python{os.sys.version_info[0]}.{os.sys.version_info[1]}/site-packages"
    runner.write(f"base/{site}/usercustomize.py", "print('user')")
    runner.variables |= {"PYTHONUSERBASE": str(home)}
    program = runner.write("program.py", SEEN)
    plain, probed = runner.plain(program), runner.probe("-q", program)
    assert (probed.stdout, probed.stderr) == (plain.stdout, plain.stderr)


def test_interpreter_that_ignores_the_environment(runner):
    """Isolated Python starts no agent: the program runs, and the session says what it lacks."""
    probed = runner.probe("--", os.sys.executable, "-I", "-c", "print(1)")
    assert probed.stdout == b"1\n"
    assert "no process wrote a record" in {gap.what for gap in probed.session.gaps}


def test_a_module_is_watched_that_the_program_asked_for_before_it_imported_it(
    tmp_path, monkeypatch
):
    """As transformers and others do, which look whether torch is installed."""
    monkeypatch.syspath_prepend(str(AGENT))
    from _compilescope_agent import torch_imports

    (tmp_path / "asked_for_first.py").write_text("READY = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    acted = []
    watcher = torch_imports._Watcher(None)
    watcher._actions = {"asked_for_first": lambda module, _: acted.append(module.READY)}
    monkeypatch.setattr(sys, "meta_path", [watcher, *sys.meta_path])
    assert importlib.util.find_spec("asked_for_first") is not None
    assert importlib.util.find_spec("asked_for_first") is not None
    assert acted == []
    importlib.import_module("asked_for_first")
    assert acted == [True]
    assert watcher not in sys.meta_path, "the import system is the program's own again"
    for name in [name for name in sys.modules if name.startswith("_compilescope_agent")]:
        del sys.modules[name]
