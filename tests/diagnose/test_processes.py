"""Runs of several processes, recorded under torchrun; see tests/data/sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope import store
from compilescope.diagnose import diagnose, ended
from compilescope.model import Compiled, Frame, GraphBroke, Process, Session

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"


@pytest.fixture(scope="module")
def ranks():
    return diagnose(store.load(SESSIONS / "ranks.cscope.json.gz"))


def test_size_that_each_rank_saw_change_once_did_not_stay_a_constant(ranks):
    for cause in ranks.causes:
        assert cause.times == 2
        assert cause.why.endswith("from the second on, the dimension is dynamic.")
        assert cause.calls == (3,)


def test_time_of_processes_side_by_side_is_not_added_to_a_share_of_the_run(ranks):
    lost = {}
    for item in ranks.recompiles:
        lost[item.process] = lost.get(item.process, 0.0) + item.seconds_lost
    assert len(lost) == 2
    assert ranks.seconds.slowest == max(lost.values())
    assert ranks.seconds.lost == pytest.approx(sum(lost.values()))
    assert "went to recompiles in the slowest process, 4 recompiles in all" in ranks.verdict
    assert "all processes together" in ranks.recovery


def test_wrapper_that_was_traced_and_left_no_graph_is_told_as_that(ranks):
    found = {item.frame.function: item for item in ranks.functions}
    assert (found["inner"].status, found["inner"].recompiles) == ("empty", 2)
    assert (found["forward"].status, found["forward"].compiles) == ("compiled", 4)


def test_function_that_dynamo_left_alone_is_still_skipped():
    frame = Frame("/x.py", 1, "f")
    found = diagnose(Session(events=(Compiled(0, "0/0", frame, outcome="skipped"),)))
    assert [item.status for item in found.functions] == ["skipped"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("ValueError: no\n  File x", "ValueError: no"),
        ("ChildFailedError: \n=====\ntrain.py FAILED\n---", "ChildFailedError: train.py FAILED"),
        ("KeyError:", "KeyError:"),
    ],
)
def test_error_that_announces_itself_is_told_with_what_follows(error, text):
    session = Session(how="failed", code=1, processes=(Process(1, error=error),))
    assert ended(session) == f"failed with exit code 1: {text}"


def test_function_hangs_under_the_compiled_function_that_was_running():
    def compiled(name, line, number, *stack):
        return Compiled(0, f"{number}/0", Frame("/m.py", line, name), stack=stack)

    above = (Frame("/main.py", 3, "<module>"), Frame("/m.py", 15, "forward"))
    found = diagnose(
        Session(
            events=(
                compiled("forward", 10, 0, above[0]),
                compiled("forward", 30, 1, *above),  # another of that name, further down
                compiled("torch_dynamo_resume_in_forward_at_15", 15, 2, above[0]),
                compiled("leaf", 50, 3, *above, Frame("/m.py", 33, "forward")),
            )
        )
    )
    callers = {(one.frame.function, one.frame.line): one.caller for one in found.functions}
    assert callers == {
        ("forward", 10): None,
        ("forward", 30): Frame("/m.py", 10, "forward"),
        ("leaf", 50): Frame("/m.py", 30, "forward"),
    }


def test_function_hangs_under_the_one_that_a_break_went_through():
    """The stack of a compile, as torch 2.13 records it, lacks the compiled functions above."""

    def compiled(name, line, number):
        return Compiled(0, f"{number}/0", Frame("/m.py", line, name), stack=main)

    main = (Frame("/m.py", 90, "<module>"),)
    inner = (Frame("/m.py", 15, "step"), Frame("/m.py", 33, "log"), Frame("/m.py", 18, "step"))
    found = diagnose(
        Session(
            events=(
                compiled("step", 10, 0),
                GraphBroke(
                    0,
                    "0/0",
                    "print",
                    Frame("/m.py", 50, "push"),
                    stack=(*main, *inner, Frame("/m.py", 50, "push")),
                ),
                compiled("log", 30, 1),
                compiled("push", 50, 2),
            )
        )
    )
    callers = {one.frame.function: one.caller for one in found.functions}
    assert callers == {
        "step": None,
        "log": Frame("/m.py", 10, "step"),
        "push": Frame("/m.py", 10, "step"),
    }
