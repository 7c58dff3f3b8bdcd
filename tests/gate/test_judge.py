"""Limits against recorded runs: what crosses, what holds, and what is no evidence."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnose.compare import compare
from compilescope.gate import Limits, judge
from compilescope.model import Called, Compiled, Gap

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
STRICT = Limits(max_recompiles=0, max_breaks=0, no_fallback=True)


def session(name):
    return store.load(SESSIONS / f"{name}.cscope.json.gz")


def found(name):
    return diagnose(session(name))


def crossed(judged):
    return {item.limit for item in judged.crossed}


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("clean", set()),
        ("shapes", {"max-recompiles"}),
        ("ints", {"max-recompiles"}),
        ("limit", {"max-recompiles", "no-fallback"}),
        ("breaks", {"max-recompiles", "max-breaks"}),
    ],
)
def test_what_crosses(name, limits):
    judged = judge(found(name), STRICT)
    assert crossed(judged) == limits
    assert judged.passed == (not limits)
    assert len(judged.crossed) + len(judged.held) == 3


def test_a_limit_is_what_is_allowed():
    shapes = found("shapes")
    assert shapes.counts.recompiles == 7
    assert judge(shapes, Limits(max_recompiles=7)).passed
    judged = judge(shapes, Limits(max_recompiles=6))
    assert judged.crossed[0].text == "7 recompiles, 6 allowed"
    assert sum(cause.times for cause in judged.crossed[0].causes) == 7


def test_after_call_counts_and_shows_only_what_came_later():
    shapes = found("shapes")
    calls = sorted(item.call for item in shapes.recompiles)
    last = calls[-1]
    judged = judge(shapes, Limits(max_recompiles=0, after_call=last))
    (cause,) = judged.crossed[0].causes
    assert judged.crossed[0].text == f"1 recompile after call {last}, 0 allowed"
    assert cause.calls == (last,)
    assert cause.times == 1
    assert judge(shapes, Limits(max_recompiles=0, after_call=last + 1)).passed


def test_a_warm_up_that_never_ended_is_no_evidence():
    clean = found("clean")
    most = max(len(series.seconds) for series in clean.calls)
    judged = judge(clean, Limits(max_recompiles=0, after_call=most))
    assert not judged.passed
    assert "nothing ran after the warm-up" in judged.undecided[0]
    assert judge(clean, Limits(max_recompiles=0, after_call=most - 1)).passed


def test_a_recompile_at_no_known_call_counts_after_the_warm_up():
    shapes = session("shapes")
    events = tuple(event for event in shapes.events if not isinstance(event, Called))
    judged = judge(
        diagnose(msgspec.structs.replace(shapes, events=events)),
        Limits(max_recompiles=0, after_call=1),
    )
    assert crossed(judged) == {"max-recompiles"}
    assert any("does not tell calls" in text for text in judged.undecided)


@pytest.mark.parametrize("name", ["nothing", "failed"])
def test_nothing_compiled_does_not_pass(name):
    judged = judge(found(name), STRICT)
    assert not judged.passed
    assert not judged.crossed
    assert any("nothing was compiled" in text for text in judged.undecided)
    assert "held" not in "\n".join(judged.lines()).replace("limits held", "")


@pytest.mark.parametrize(
    ("how", "passes"),
    [("exited", True), ("killed", False), ("interrupted", False), ("unfinished", False)],
)
def test_a_run_that_did_not_end_does_not_pass(how, passes):
    clean = msgspec.structs.replace(session("clean"), how=how)
    judged = judge(diagnose(clean), STRICT)
    assert judged.passed is passes
    assert passes or "the run is not whole" in judged.undecided[0]


def test_compile_seconds_are_of_the_slowest_process():
    clean = session("clean")
    spent = found("clean").seconds.compiling
    twice = tuple(
        msgspec.structs.replace(event, process=1)
        for event in clean.events
        if isinstance(event, Compiled)
    )
    both = msgspec.structs.replace(
        clean, events=(*clean.events, *twice), processes=clean.processes * 2
    )
    assert judge(diagnose(both), Limits(max_compile_seconds=spent * 1.5)).passed
    judged = judge(diagnose(both), Limits(max_compile_seconds=spent / 2))
    assert "in the slowest process" in judged.crossed[0].text


def test_compiles_without_a_time_are_no_evidence_of_a_short_one():
    clean = session("clean")
    events = tuple(
        msgspec.structs.replace(event, seconds=None) if isinstance(event, Compiled) else event
        for event in clean.events
    )
    judged = judge(
        diagnose(msgspec.structs.replace(clean, events=events)), Limits(max_compile_seconds=60)
    )
    assert not judged.passed
    assert "no time in the record" in judged.undecided[0]


@pytest.mark.parametrize(
    ("what", "limits", "hides"),
    [
        ("payloads that are cut or altered", STRICT, True),
        ("something that nobody has thought of", STRICT, True),
        ("records of the unknown kind `new_thing`", STRICT, False),
        ("steady calls that the session does not keep one by one", STRICT, False),
        ("graph breaks", Limits(max_recompiles=0), False),
        ("graph breaks", Limits(max_breaks=0), True),
        ("recompilations", Limits(no_fallback=True), True),
        ("not recorded: calls", Limits(max_recompiles=0), False),
        ("not recorded: calls", Limits(max_recompiles=0, after_call=1), True),
    ],
)
def test_a_hole_that_can_hide_a_crossing_does_not_pass(what, limits, hides):
    clean = msgspec.structs.replace(session("clean"), gaps=(Gap(what),))
    judged = judge(diagnose(clean), limits)
    assert judged.passed is not hides
    assert (judged.holes if hides else judged.notes) == (what,)


def test_new_causes_against_a_baseline():
    shapes, clean, ints = found("shapes"), found("clean"), found("ints")
    assert judge(shapes, Limits(), compare(shapes, shapes)).passed
    judged = judge(shapes, Limits(), compare(clean, shapes))
    assert judged.crossed[0].text == f"{len(shapes.causes)} new recompile causes"
    assert {cause.id for cause in judged.crossed[0].causes} == {c.id for c in shapes.causes}
    assert judge(clean, Limits(), compare(shapes, clean)).passed
    judged = judge(found("limit"), Limits(), compare(ints, found("limit")))
    assert judged.crossed[0].fallbacks
    assert any(text.startswith("against the baseline, ") for text in judged.notes)


def test_narrowed_shows_what_crossed_and_nothing_else():
    breaks = found("breaks")
    judged = judge(breaks, Limits(max_breaks=0, max_recompiles=100))
    shown = judged.narrowed(breaks)
    assert shown.graph_breaks == breaks.graph_breaks
    assert not shown.causes
    assert shown.counts == breaks.counts
