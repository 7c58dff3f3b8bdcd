"""Which terminals the program takes, and what is written where there is little room."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from compilescope.errors import InputError, UsageError
from compilescope.tui.terminal import require
from compilescope.tui.views.words import brief, said


def terminal(monkeypatch, term, *, tty=True):
    stream = SimpleNamespace(isatty=lambda: tty)
    monkeypatch.setattr(sys, "stdin", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)


@pytest.mark.parametrize("term", ["xterm", "screen-256color", "linux", ""])
def test_terminals_that_are_taken(monkeypatch, term):
    terminal(monkeypatch, term)
    require("tui", "show")


def test_terminals_that_are_refused(monkeypatch):
    terminal(monkeypatch, "dumb")
    with pytest.raises(UsageError, match="can move its cursor") as error:
        require("tui", "use show")
    assert error.value.hint == "use show"
    terminal(monkeypatch, "xterm", tty=False)
    with pytest.raises(UsageError, match="tui needs a terminal"):
        require("tui", "use show")


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "?"), (0.5, "500 ms"), (254.0, "4.2 min"), (5990.0, "100 min"), (90_000.0, "25.0 h")],
)
def test_a_duration_fits_its_column(value, text):
    assert brief(value) == text
    assert len(text) <= 9


def test_an_error_in_a_message():
    assert said(InputError("a is gone", cause="no file", hint="record it")) == (
        "a is gone: no file: record it"
    )
    assert said(OSError("plain")) == "plain"
