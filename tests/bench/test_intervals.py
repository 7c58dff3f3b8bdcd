"""Statistics against data whose truth is known."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compilescope.bench.intervals import (
    bootstrap,
    break_even,
    gain_range,
    median,
    median_range,
    quantile,
    ratio_range,
    significant,
    spanned,
)
from compilescope.benching import Range

TIMES = st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=40)


def noisy(count, level, seed):
    draw = random.Random(seed)
    return [level * (1 + 0.05 * draw.random()) for _ in range(count)]


@given(TIMES)
def test_the_median_is_that_of_the_standard_library(values):
    assert median(values) == pytest.approx(statistics.median(values), rel=1e-12)


@given(TIMES, st.floats(0, 1))
def test_a_quantile_lies_between_the_least_and_the_most(values, share):
    assert min(values) <= quantile(values, share) <= max(values) * (1 + 1e-12)


def test_a_quantile_between_two_values():
    assert quantile([4.0, 1.0, 2.0, 3.0], 0.5) == 2.5
    assert quantile(list(range(101)), 0.99) == 99


def test_an_interval_covers_the_truth_about_as_often_as_it_says():
    hits = 0
    for seed in range(60):
        draw = random.Random(seed)
        found = median_range([draw.lognormvariate(0.0, 0.5) for _ in range(40)])
        hits += found.low <= 1.0 <= found.high  # the median of that distribution
    assert hits >= 51  # 57 of 60 at 95 %


def test_the_ratio_and_its_interval():
    found = ratio_range(noisy(50, 2.0, 1), noisy(50, 1.0, 2))
    assert found.value == pytest.approx(2.0, rel=0.03)
    assert 1.9 < found.low < found.value < found.high < 2.1


def test_rounds_are_drawn_together():
    # Both double from round to round: the ratio is the same in each, and so has no spread.
    eager = [2.0 * 2**number for number in range(8)]
    compiled = [1.0 * 2**number for number in range(8)]
    found = ratio_range(eager, compiled)
    assert (found.value, found.low, found.high) == (2.0, 2.0, 2.0)


def test_equal_data_gives_an_equal_interval():
    values = noisy(30, 1.0, 3)
    assert median_range(values) == median_range(values)


def test_few_rounds_span_what_they_measured():
    found = ratio_range([2.0, 3.0, 4.0], [1.0, 1.0, 1.0])
    assert found == Range(3.0, 2.0, 4.0)
    assert median_range([5.0]) == Range(5.0)


def test_a_skewed_statistic_stays_inside_its_data():
    found = bootstrap(10, max)
    assert found.low <= found.value == 9 == found.high


def test_break_even_is_the_cost_by_the_gain():
    assert break_even(30.0, Range(0.01, 0.005, 0.02)) == Range(3000.0, 1500.0, 6000.0)


def test_what_costs_more_never_breaks_even():
    assert break_even(30.0, Range(-0.01, -0.02, -0.005)) is None
    assert break_even(30.0, Range(0.0, 0.0, 0.0)) is None


def test_break_even_has_no_upper_end_where_the_gain_may_be_nothing():
    assert break_even(30.0, Range(0.01, -0.005, 0.02)) == Range(3000.0, 1500.0, None)


def test_the_gain_is_a_difference_of_medians():
    assert gain_range([3.0] * 8, [1.0] * 8) == Range(2.0, 2.0, 2.0)


def test_significant_digits():
    assert [significant(v, 2) for v in (3149, 0.0123, 9.99, 0.0)] == [3100, 0.012, 10.0, 0.0]


def test_an_interval_holds_what_a_second_process_found():
    one = Range(1.5, 1.4, 1.6)
    assert spanned(one, None) == spanned(one, Range(1.45, 1.2, 1.7)) == one
    assert spanned(one, Range(1.38, 1.2, 1.5)) == Range(1.5, 1.38, 1.6)
    assert spanned(one, Range(2.0, 1.9, 2.1)) == Range(1.5, 1.4, 2.1)
    assert spanned(Range(1.5), one) == Range(1.5)
