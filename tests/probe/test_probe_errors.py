"""Mistakes of the user: said before the program runs, without a traceback."""

from __future__ import annotations

import os
import sys

import pytest

from compilescope.errors import ProgramError
from compilescope.probe import interpreter

RAN = "open('ran', 'w')"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], b"error: no program was named"),
        (["absent.py"], b"error: absent.py does not exist"),
        (["folder"], b"error: folder is a folder without __main__.py"),
        (["-m"], b"error: no module after `-m`"),
        (["--"], b"error: no command after `--`"),
        (["--", "no-such-command-here"], b"error: cannot run no-such-command-here"),
        (["--", "./program.py"], b"error: cannot run ./program.py"),
        (["--python", "/no/python", "program.py"], b"error: cannot run /no/python"),
        (["--format", "yaml", "program.py"], b"error: Invalid value for '--format'"),
        (["-o", "folder", "program.py"], b"error: cannot write folder"),
        (["-o", "program.py/x.json.gz", "program.py"], b"error: cannot write program.py/x.json.gz"),
    ],
)
def test_mistake(runner, arguments, message):
    runner.write("program.py", RAN)
    (runner.folder / "folder").mkdir()
    probed = runner.probe(*arguments)
    assert probed.code == 2
    assert probed.stderr.startswith(message)
    assert b"Traceback" not in probed.stderr
    assert b"hint: " in probed.stderr
    left = {path.name for path in runner.folder.iterdir()}
    assert left == {"program.py", "folder"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_output_not_writable(runner):
    runner.write("program.py", RAN)
    runner.write("out.cscope.json.gz", "")
    (runner.folder / "out.cscope.json.gz").chmod(0o400)
    probed = runner.probe("program.py")
    assert probed.code == 2
    assert not (runner.folder / "ran").exists()


def test_no_torch_anywhere(monkeypatch, tmp_path):
    monkeypatch.setattr(interpreter.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramError, match="no Python with torch") as caught:
        interpreter.choose(None)
    assert "--python" in caught.value.hint


def test_python_on_path_is_asked(monkeypatch, tmp_path):
    monkeypatch.setattr(interpreter.importlib.util, "find_spec", lambda _: None)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert interpreter.choose(None) == str(python)


def test_this_python_first():
    pytest.importorskip("torch")
    assert interpreter.choose(None) == sys.executable


def test_default_output(runner):
    program = runner.write("my program.py", "print(1)")
    probed = runner._run([sys.executable, "-m", "compilescope", "probe", program])
    (saved,) = (runner.folder / ".compilescope").glob("*.cscope.json.gz")
    assert saved.name.startswith("my-program-")
    assert str(saved.relative_to(runner.folder)).encode() in probed.stderr
    assert (runner.folder / ".compilescope" / ".gitignore").read_text() == "*\n"
