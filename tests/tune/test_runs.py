"""Runs of programs that are not easy to run: they fail, hang, read, are interrupted, are kept."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from compilescope.tune.runs import Runs, StoppedError


@pytest.fixture
def program(tmp_path):
    script = tmp_path / "program.py"

    def made(text, **more):
        script.write_text(text)
        folder = tmp_path / "runs"
        folder.mkdir(exist_ok=True)
        return Runs((sys.executable, str(script)), "program.py", folder, **more)

    return made


def test_each_run_reads_the_same_input(program, tmp_path):
    text = tmp_path / "input"
    text.write_text("seven\n")
    runs = program("print(input())", stdin=text)
    logs = [runs.run("trial", {}, None).log.read_text() for _ in range(2)]
    assert logs == ["seven\n", "seven\n"]


def test_runs_side_by_side_share_the_processors_for_compiling(program, monkeypatch):
    name = "TORCHINDUCTOR_COMPILE_THREADS"
    monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    text = f"import os; print(os.environ.get({name!r}))"
    said = [program(text, jobs=jobs).run("trial", {}, None).log.read_text() for jobs in (1, 5, 40)]
    assert said == ["None\n", "3\n", "1\n"]
    monkeypatch.setenv(name, "7")
    assert program(text, jobs=5).run("trial", {}, None).log.read_text() == "7\n"


def test_a_run_that_hangs_is_ended_with_what_it_started(program, tmp_path):
    pid = tmp_path / "pid"
    runs = program(
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pid)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    recorded = runs.run("trial", {}, 12.0)
    assert recorded.ended_by_us
    assert recorded.session.how == "killed"
    assert _is_gone(int(pid.read_text()))


def test_a_run_can_be_stopped_from_outside(program, tmp_path):
    begun = tmp_path / "begun"
    runs = program(f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(600)\n")
    raised = []

    def run():
        try:
            runs.run("trial", {}, None)
        except StoppedError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 120
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    runs.stop()
    thread.join(120)
    assert len(raised) == 1


def test_a_run_is_used_again_until_the_program_changes(program, tmp_path):
    count = tmp_path / "count"
    text = f"open({str(count)!r}, 'a').write('x')\n"
    runs = [program(text, reuse=True) for _ in range(2)]
    reused = [one.run("trial-1", {"config": {}}, None).reused for one in runs]
    assert reused == [False, True]
    assert not program(text, reuse=True).run("trial-1", {"config": {"a": 1}}, None).reused
    assert not program(text + "\n", reuse=True).run("trial-1", {"config": {}}, None).reused
    assert count.read_text() == "xxx"


def test_a_program_that_fails_as_it_is_ends_tune(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("raise ValueError('no data here')\n")
    done = subprocess.run(
        [sys.executable, "-m", "compilescope", "tune", "-q", "program.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "program.py fails as it is" in done.stderr
    assert "no data here" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_asks_the_terminal_is_told_of_files(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("input()\n")
    done = subprocess.run(
        [sys.executable, "-m", "compilescope", "tune", "-q", "program.py"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "< input" in done.stderr


def _is_gone(pid):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        status = f"/proc/{pid}/status"
        try:
            with open(status) as file:
                if "State:\tZ" in file.read():
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False
