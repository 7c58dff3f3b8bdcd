"""The tree of compiled functions."""

from __future__ import annotations

from compilescope.diagnose.calltree import branches
from compilescope.diagnosis import FunctionSummary
from compilescope.model import Frame


def function(name, seconds, caller=None):
    return FunctionSummary(
        frame(name),
        "compiled",
        compiles=1,
        recompiles=0,
        breaks=0,
        seconds=seconds,
        caller=frame(caller) if caller else None,
    )


def frame(name):
    return Frame("/m.py", ord(name), name)


def drawn(*functions):
    return [
        (branch.function.frame.function, branch.depth, branch.last, branch.seconds)
        for branch in branches(functions)
    ]


def test_the_dearest_branch_comes_first_with_all_that_hangs_on_it():
    assert drawn(
        function("a", 4.0),
        function("b", 1.0),
        function("c", 2.0, "b"),
        function("d", 3.0, "b"),
        function("e", 1.5, "c"),
    ) == [
        ("b", 0, False, 7.5),
        ("c", 1, False, 3.5),
        ("e", 2, True, 1.5),
        ("d", 1, True, 3.0),
        ("a", 0, True, 4.0),
    ]


def test_a_caller_that_was_not_compiled_is_none():
    assert drawn(function("a", 1.0, "z")) == [("a", 0, True, 1.0)]


def test_a_circle_of_callers_ends():
    found = drawn(function("a", 1.0, "b"), function("b", 2.0, "a"), function("c", 1.0))
    assert found == [("c", 0, True, 1.0), ("a", 0, False, 3.0), ("b", 1, True, 3.0)]


def test_a_chain_of_any_length():
    chain = [Frame("/m.py", line, "f") for line in range(3000)]
    found = branches(
        FunctionSummary(one, "compiled", 1, 0, 0, 0.0, above)
        for above, one in zip([None, *chain], chain, strict=False)
    )
    assert [branch.depth for branch in found] == list(range(3000))


def test_nothing():
    assert branches(()) == []
