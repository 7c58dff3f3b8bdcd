"""Settings side by side: who is measured when, and what is told where time or patience ends."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from compilescope.bench.process import Found
from compilescope.bench.progress import Progress
from compilescope.bench.together import measure
from compilescope.benching import Setting


class Child:
    """A process that has compiled after so many looks at it, and ends when it is measured."""

    def __init__(self, looks, ended, cache, turns):
        self.setting, self.cache = Setting("", "marked", looks or 2), cache
        self._looks, self._ended, self._turns = looks, ended, turns

    def is_over(self):
        return self._looks is None

    def is_ready(self):
        self._looks -= 1
        return self._looks <= 0

    def age(self):
        return 1.0

    def go(self):
        self._turns.append(self.setting.pad)

    def wait(self, seconds):
        if self._ended == "interrupted":
            raise KeyboardInterrupt
        return self._ended

    def close(self):
        pass

    def found(self, ended=""):
        return Found(ended=ended)


class Clock:
    """Time that only sleeping takes."""

    now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr("compilescope.bench.together.time", Clock())

    def run(*children, patience=60.0, limit=60.0):
        turns, told = [], {}
        made = iter([Child(*one, tmp_path / "cache", turns) for one in children])
        processes = SimpleNamespace(
            new_cache=lambda: tmp_path / "cache", start=lambda *_, **__: next(made)
        )
        job = SimpleNamespace(processes=processes, setting=Setting())
        whole = measure([job] * len(children), patience, limit, told.__setitem__)
        return whole, turns, {key: (one.ended, one.compiling) for key, one in told.items()}

    return run


NEVER = 10**9


def test_all_compile_before_the_first_is_measured(run):
    whole, turns, told = run((3, ""), (5, ""))
    assert whole
    assert turns == [3, 5]
    assert told == {0: ("", 0), 1: ("", 0)}


def test_one_that_failed_keeps_nobody_waiting(run):
    _, turns, told = run((None, ""), (2, ""))
    assert turns == [2]
    assert told == {0: ("", 0), 1: ("", 0)}


def test_one_that_does_not_compile_keeps_others_waiting_for_a_while(run):
    whole, turns, told = run((NEVER, ""), (2, ""), patience=0.0, limit=0.5)
    assert whole  # a search goes on
    assert turns == [2]
    assert told == {1: ("", 1), 0: ("out of time", 0)}


def test_an_interrupt_ends_all_and_loses_none(run):
    whole, _, told = run((2, "interrupted"), (2, ""))
    assert not whole
    assert told == {0: ("interrupted", 0), 1: ("interrupted", 0)}


def test_who_waits_is_told_what_goes_on(monkeypatch, capsys):
    two = [
        SimpleNamespace(setting=Setting("", how), stage=lambda: "compiling", age=lambda: 31.0)
        for how in ("marked", "unbacked")
    ]
    monkeypatch.setattr("compilescope.bench.progress._EVERY", 0.0)
    Progress(quiet=True).watch(two)
    Progress(quiet=False).watch(two)
    assert capsys.readouterr().err == "marked; unbacked: compiling (31 s)\n"
