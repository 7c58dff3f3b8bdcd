"""Calls in one line: every spike is kept, whatever the width."""

from __future__ import annotations

import pytest

from compilescope.diagnosis import CallSeries

strips = pytest.importorskip("compilescope.reports.strip")


def series(seconds):
    return CallSeries("f", 0, tuple(seconds), (), (), None)


def test_slow_call_is_seen_among_thousands():
    seconds = [0.001] * 10_000
    seconds[6_660] = 5.0
    text = strips.strip(series(seconds), {}, 60)
    assert len(text) == 60
    assert [index for index, mark in enumerate(text) if mark == "█"] == [6_660 * 60 // 10_000]


def test_lettered_call_is_kept_and_the_first_one_wins():
    text = strips.strip(series([0.001] * 1000), {500: "A", 501: "B", 999: "AB"}, 10)
    assert text[5] == "A"
    assert text[9] == "+"


def test_equal_calls_are_flat():
    assert strips.strip(series([0.5] * 5), {}, 80) == "▁▁▁▁▁"


def test_each_factor_is_a_step_of_the_same_height():
    text = strips.strip(series([10.0**-power for power in range(8)]), {}, 80)
    assert text == "█▇▆▅▄▃▂▁"[: len(text)]


def test_zero_seconds_are_drawn():
    assert len(strips.strip(series([0.0, 1.0]), {}, 80)) == 2


def test_marks_are_those_of_this_callable(diagnoses):
    found = diagnoses["shapes"]
    letters = {cause.id: str(index) for index, cause in enumerate(found.causes)}
    calls = found.calls[0]
    marked = strips.marks(found, calls, letters)
    assert marked
    assert set(marked) <= set(calls.compiled)
    assert 0 not in marked, "the first call compiles and recompiles nothing"
