"""`compilescope report` as a user runs it: what it writes, spares and says."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from compilescope import store

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
PAGE = "compilescope-report.html"


def run(*arguments):
    command = [sys.executable, "-m", "compilescope", "report", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.fixture
def session(tmp_path):
    return Path(shutil.copy(SESSIONS / "ints.cscope.json.gz", tmp_path / "run.cscope.json.gz"))


def test_writes_the_page_and_names_it(session):
    out = run(session)
    assert (out.returncode, out.stdout, out.stderr) == (0, f"{PAGE}\n", "")
    assert store.load(Path(PAGE)) == store.load(session)
    assert sorted(os.listdir()) == [PAGE, session.name]


def test_page_is_readable_as_any_new_file_is(session, tmp_path):
    run(session)
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(Path(PAGE).stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_folders_are_made(session):
    assert run(session, "-o", "a/b/page.html").returncode == 0
    assert Path("a/b/page.html").stat().st_size > 10_000


def test_dash_is_stdout(session):
    out = run(session, "-o", "-")
    assert out.stdout.startswith("<!doctype html>")
    assert os.listdir() == [session.name]


def test_a_report_is_replaced(session):
    assert run(session).returncode == 0
    assert run(PAGE).returncode == 0, "a page may be made anew from itself"
    assert store.load(Path(PAGE)) == store.load(session)


@pytest.mark.parametrize("content", ["<!doctype html><title>mine</title>", "x" * 10_000])
def test_what_is_no_report_is_spared(session, content):
    Path(PAGE).write_text(content)
    out = run(session)
    assert (out.returncode, out.stdout) == (2, "")
    assert out.stderr == (
        f"error: {PAGE} is not a report, and would be replaced\n"
        "hint: name another file with -o, or give --force\n"
    )
    assert Path(PAGE).read_text() == content
    assert run(session, "--force").returncode == 0
    assert Path(PAGE).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_session_itself_is_spared(session):
    assert run(session, "-o", session).returncode == 2
    store.load(session)


def test_a_folder_cannot_be_written(session):
    Path("out").mkdir()
    out = run(session, "-o", "out")
    assert out.returncode == 2
    assert out.stderr.startswith("error: cannot write out\ncause: ")
    assert "Traceback" not in out.stderr
    assert sorted(os.listdir()) == ["out", session.name], "no temporary file is left"


def test_without_source_the_names_of_files_are_gone(session):
    assert run(session, "--no-source").returncode == 0
    text = Path(PAGE).read_text(encoding="utf-8")
    for secret in ("ints.py", "/home/user", "meter.count += 1"):
        assert secret not in text
    assert store.load(Path(PAGE)).events, "the session is in the page, without them"


def test_shown_as_html_the_page_can_be_read_back(session):
    command = [sys.executable, "-m", "compilescope", "show", str(session), "--format", "html"]
    out = subprocess.run(command, capture_output=True, check=True)
    Path("shown.html").write_bytes(out.stdout)
    assert store.load(Path("shown.html")) == store.load(session)
