"""Calls before and after on one scale: thinned honestly, and what is drawn of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from compilescope.reports.strips import pair

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnose.compare import compare
from compilescope.diagnose.strips import MOST_COLUMNS, call_strip
from compilescope.diagnosis import CallSeries
from compilescope.model import CallStrip
from compilescope.packs import report

TUNED = Path(__file__).parents[1] / "data" / "tuned"


def run(diagnoses, seconds, at=(), eager=()):
    series = CallSeries("f", 0, tuple(seconds), (), tuple(eager), None, callable=0, at=tuple(at))
    return msgspec.structs.replace(diagnoses["clean"], calls=(series,), recompiles=())


def test_column_is_as_high_as_the_slowest_of_its_calls(diagnoses):
    seconds = [0.001] * 10_000
    seconds[4321] = 0.5
    strip = call_strip(run(diagnoses, seconds))
    assert len(strip.columns) <= MOST_COLUMNS
    assert (strip.calls, max(strip.columns), strip.columns.count(0.5)) == (10_000, 0.5, 1)


def test_recompiles_of_the_callable_are_marked(diagnoses):
    found = diagnoses["shapes"]
    strip = call_strip(found)
    assert list(strip.recompiled) == sorted({item.call for item in found.recompiles})
    assert call_strip(found, ("another",)) is None


def test_warm_up_is_left_out(diagnoses):
    found = run(diagnoses, [9.0, 8.0, 0.1, 0.2], at=[1.0, 2.0, 3.0, 4.0], eager=[3])
    strip = call_strip(found, ("f",), [(0.5, 2.5)])
    assert strip == CallStrip("f", 2, (0.1, 0.2), eager=(1,))
    assert call_strip(found, ("f",), [(0.0, 9.0)]) is None


def test_both_are_drawn_to_one_scale():
    both = pair(CallStrip("f", 2, (1.0, 0.001), (0,)), CallStrip("f", 2, (0.001, 0.001)))
    before, after = both.drawn
    assert (both.low, both.high) == ("1 ms", "1 s")
    assert before.spikes == "M0.1 100V0h.8V100z"
    assert before.plain.replace("M1", "M0") == after.plain[: len(before.plain)]
    assert "1 call with a recompile" in before.said
    assert pair(None, CallStrip("f", 1, (1.0,))) is None


def test_proof_of_a_tuned_run_shows_its_calls(golden):
    found = diagnose(store.load(TUNED / "serve-tuned.cscope.json.gz"))
    proved = [item for cause in found.causes for item in cause.remedies if item.after]
    assert proved
    assert all(len(item.before.recompiled) > len(item.after.recompiled) for item in proved)
    assert report("html")(found).count('<figure class="strips">') == len(proved)


def test_what_was_not_tried_names_the_command(diagnoses):
    text = report("html")(diagnoses["shapes"])
    assert "<code>compilescope tune -- /usr/bin/python3 /home/user/project/shapes.py</code>" in text
    logs = msgspec.structs.replace(diagnoses["shapes"], command=())
    assert "compilescope tune" not in report("html")(logs)


def test_compared_runs_of_one_callable_lie_side_by_side(diagnoses):
    found = compare(diagnoses["shapes"], diagnoses["shapes"])
    assert found.calls == (call_strip(diagnoses["shapes"]),) * 2
    assert compare(diagnoses["shapes"], run(diagnoses, [0.1])).calls is None
