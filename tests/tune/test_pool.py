"""Calls side by side."""

from __future__ import annotations

import threading

import pytest

from compilescope.tune.pool import results


def test_each_result_comes_as_soon_as_it_is_ready():
    first_may_end = threading.Event()

    def slow():
        assert first_may_end.wait(60)
        return "slow"

    found = results(iter([slow, lambda: "quick"]), 2, lambda: None)
    assert next(found) == "quick"
    first_may_end.set()
    assert list(found) == ["slow"]


def test_the_next_call_is_asked_for_only_when_there_is_room():
    asked = []

    def calls():
        for number in range(3):
            asked.append(number)
            yield lambda number=number: number

    found = results(calls(), 1, lambda: None)
    assert next(found) == 0
    assert asked == [0]
    assert list(found) == [1, 2]


def test_what_interrupts_ends_the_others_first():
    ended = threading.Event()

    def waits():
        assert ended.wait(60)

    def interrupts():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(results(iter([waits, interrupts]), 2, ended.set))
    assert ended.is_set()
