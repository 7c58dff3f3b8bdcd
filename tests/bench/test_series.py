"""Warm-up, outliers and drift in series that were made to have them, or not."""

from __future__ import annotations

import random

import pytest

from compilescope.bench.series import drift, outliers, steady


def level(count, seed=0, spread=0.02, at=1.0):
    draw = random.Random(seed)
    return [at * (1 + spread * draw.gauss(0, 1)) for _ in range(count)]


@pytest.mark.parametrize("slow", [0, 1, 3, 7, 12])
def test_slow_first_calls_are_warm_up_however_many_there_are(slow):
    found = steady([1.5 + 0.2 * n for n in range(slow, 0, -1)] + level(40))
    assert found.settled
    assert slow <= found.start <= slow + 2


def test_warm_up_that_fades_ends_where_it_has_faded():
    found = steady([1 + 2.0 * 0.5**n + noise - 1 for n, noise in enumerate(level(60, 1))])
    assert 4 <= found.start <= 12


def test_one_outlier_is_no_warm_up():
    values = level(40, 2)
    values[20] = 9.0
    assert steady(values).start <= 2


def test_a_series_that_keeps_falling_has_not_settled():
    values = [2.0 ** (10 - n) for n in range(20)]
    assert not steady(values).settled


def test_too_few_calls_show_nothing():
    assert not steady([1.0, 1.0, 1.0]).settled


def test_outliers_are_found_on_both_sides():
    values = level(50, 3)
    values[7], values[30] = 4.0, 0.1
    assert outliers(values) == (7, 30)


def test_equal_values_have_no_outliers():
    assert outliers([1.0] * 20) == ()
    assert outliers([1.0, 9.0, 1.0]) == ()


def test_a_clock_that_slows_down_is_drift():
    values = [value * (1 + 0.2 * n / 60) for n, value in enumerate(level(60, 4))]
    assert drift(values) == pytest.approx(0.13, abs=0.05)
    assert drift(values[::-1]) == pytest.approx(-0.12, abs=0.05)


@pytest.mark.parametrize("seed", range(30))
def test_noise_is_no_drift(seed):
    assert drift(level(80, seed, spread=0.05)) is None


def test_a_certain_but_tiny_trend_is_not_told():
    assert drift([1 + n * 1e-4 for n in range(100)]) is None


def test_a_long_series_is_thinned_and_keeps_its_drift():
    values = [value * (1 + 0.2 * n / 3000) for n, value in enumerate(level(3000, 5))]
    assert drift(values) == pytest.approx(0.13, abs=0.03)


def test_few_values_have_no_trend():
    assert drift([1.0, 2.0, 3.0, 4.0]) is None
