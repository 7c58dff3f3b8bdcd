from __future__ import annotations

import re

import pytest
from compilescope.reports.timeline import MOST_COLUMNS, panel

from compilescope.diagnosis import CallSeries, Recompile
from compilescope.model import Frame

FRAME = Frame("/x.py", 1, "f")


def series(seconds, compiled=(), eager=(), steady_from=None):
    return CallSeries("f", 0, tuple(seconds), tuple(compiled), tuple(eager), 0.001, steady_from)


def recompile(call, cause, lost):
    return Recompile("0/1", FRAME, call, lost, lost, cause)


def heights(path):
    return [float(y) for y in re.findall(r"V([\d.]+)H", path)]


def test_few_calls_are_a_bar_each():
    drawn = panel(series([0.5, 0.001, 0.002], compiled=[0], steady_from=1), (), {}, "k")
    assert drawn.wide
    assert drawn.path.count("M") == 2
    assert [spike.call for spike in drawn.spikes] == [0]
    assert drawn.warm_up.width == pytest.approx(33.333)


def test_scale_is_whole_decades_and_a_tenfold_call_is_a_decade_higher():
    drawn = panel(series([0.001] * 200 + [0.01] * 200 + [0.1] * 200), (), {}, "k")
    assert [tick.label for tick in drawn.ticks] == ["1 ms", "10 ms", "100 ms"]
    low, middle, high = heights(drawn.path)[:3]
    assert (low, middle, high) == (98.0, 50.0, 0.0)


def test_thinning_keeps_the_slowest_call_of_each_column():
    seconds = [0.001] * 100_000
    seconds[54_321] = 0.1
    drawn = panel(series(seconds), (), {}, "k")
    assert drawn.per_column == 100_000 // MOST_COLUMNS
    assert min(heights(drawn.path)) == 0.0


def test_every_compile_is_kept_when_calls_are_thinned():
    compiled = range(0, 100_000, 50)
    drawn = panel(series([0.001] * 100_000, compiled), (), {}, "k")
    assert sum(stroke.path.count("M") for stroke in drawn.strokes) == 2000


def test_spike_has_the_letter_of_its_dearest_cause_and_all_its_causes():
    recompiles = (recompile(1, "x", 0.1), recompile(1, "y", 0.3), recompile(2, "gone", 1.0))
    drawn = panel(series([1, 1, 1], [0, 1, 2]), recompiles, {"x": "A", "y": "B"}, "k")
    assert [(spike.letter, spike.causes) for spike in drawn.spikes] == [
        ("", ()),
        ("B", ("y", "x")),
        ("", ()),
    ]


def test_dearest_spike_of_a_crowd_is_labelled():
    seconds = [0.001] * 10_000
    recompiles = [recompile(call, "x", 0.5) for call in range(5000, 5020)]
    for call in range(5000, 5020):
        seconds[call] = 0.9 if call == 5007 else 0.5
    drawn = panel(series(seconds, range(5000, 5020)), recompiles, {"x": "A"}, "k")
    assert [spike.call for spike in drawn.labels] == [5007]


def test_eager_stretches():
    drawn = panel(series([0.001] * 10, eager=[2, 3, 4, 8]), (), {}, "k")
    assert [(band.left, band.width) for band in drawn.eager] == [(20, 30), (80, 10)]
    assert "2 to 4" in drawn.eager[0].title


def test_without_a_steady_call_all_is_warm_up():
    assert panel(series([1, 1], [1]), (), {}, "k").warm_up.width == 100
    assert panel(series([1, 1]), (), {}, "k").warm_up is None


@pytest.mark.parametrize("seconds", [[0.0, 0.0], [1e-10, 1e5], [3.0]])
def test_odd_durations_are_drawn(seconds):
    drawn = panel(series(seconds), (), {}, "k")
    assert all(0 <= tick.bottom <= 100 for tick in drawn.ticks)
    assert not re.search("nan|inf|-", drawn.path)
