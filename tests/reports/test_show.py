"""`compilescope show` as a user runs it: stdout, stderr and exit code."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.model import Session
from compilescope.packs import report

TRACES = Path(__file__).parents[1] / "data" / "traces"
SESSIONS = Path(__file__).parents[1] / "data" / "sessions"


def run(*arguments, **variables):
    # What the terminal of the tests, or pytest-xdist, sets is not what a pipe has.
    ours = {"FORCE_COLOR", "NO_COLOR", "COLUMNS"}
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    command = [sys.executable, "-m", "compilescope", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, env=environment | variables
    )


@pytest.fixture
def session(tmp_path):
    return Path(shutil.copy(SESSIONS / "ints.cscope.json.gz", tmp_path / "ints.cscope.json.gz"))


@pytest.mark.parametrize("form", ["terminal", "json"])
def test_shows_the_session_and_nothing_else(session, form):
    out = run("show", session.name, "--format", form)
    assert (out.returncode, out.stderr) == (0, "")
    expected = report(form)(diagnose(store.load(session)), width=100)
    assert out.stdout == expected + ("" if expected.endswith("\n") else "\n")


def test_width_and_colour_come_from_the_environment(session):
    narrow = run("show", session, COLUMNS="50")
    assert max(map(len, narrow.stdout.splitlines())) <= 50
    assert "\x1b[" not in narrow.stdout
    assert "\x1b[" in run("show", session, FORCE_COLOR="1").stdout
    assert "\x1b[" not in run("show", session, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_closed_pipe_is_no_error(session):
    command = f"{sys.executable} -m compilescope show {session} | true"
    out = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert out.stderr == ""


def missing(folder):
    return folder / "none.cscope.json.gz"


def a_folder(folder):
    (folder / "logs").mkdir()
    return folder / "logs"


def binary(folder):
    path = folder / "image.cscope.json"
    path.write_bytes(bytes(range(256)) * 4)
    return path


def truncated_gzip(folder):
    path = folder / "cut.cscope.json.gz"
    path.write_bytes(gzip.compress(store.encode(Session(name="x" * 1000)), mtime=0)[:-9])
    return path


def truncated(folder):
    path = folder / "cut.cscope.json"
    path.write_bytes(store.encode(Session(name="cut"))[:-3])
    return path


def newer(folder):
    path = folder / "new.cscope.json"
    path.write_bytes(msgspec.json.encode({"version": 99, "colour": "blue"}))
    return path


def another_json(folder):
    path = folder / "package.json"
    path.write_text('{"name": 3}')
    return path


def empty(folder):
    path = folder / "empty.cscope.json"
    path.touch()
    return path


def a_trace(folder):
    return shutil.copy(TRACES / "nothing.log.xz", folder / "trace.log.xz")


MISTAKES = (
    a_trace,
    missing,
    a_folder,
    binary,
    truncated_gzip,
    truncated,
    newer,
    another_json,
    empty,
)


@pytest.mark.parametrize("command", ["show", "report", "compare"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_one_message_and_exit_code_2(mistake, command, tmp_path, golden):
    path = mistake(tmp_path)
    out = run(command, *[path.name] * (2 if command == "compare" else 1))
    assert (out.returncode, out.stdout) == (2, "")
    assert "Traceback" not in out.stderr
    golden(f"commands/error-{mistake.__name__}.txt", out.stderr)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(session):
    session.chmod(0)
    out = run("show", session)
    assert out.returncode == 2
    assert "Permission denied" in out.stderr


def test_unknown_format_names_the_formats_before_reading_the_file():
    out = run("show", "none.cscope.json.gz", "--format", "yaml")
    assert (out.returncode, out.stdout) == (2, "")
    assert out.stderr.startswith("error: unknown report format `yaml`\nhint: one of: ")
    assert "json" in out.stderr
