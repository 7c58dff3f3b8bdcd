"""What is said of a continuation's guards on a name that the function has bound anew."""

from __future__ import annotations

import pytest

from compilescope.diagnose import diagnose
from compilescope.logs.guards import parse_reason
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Frame,
    Input,
    Recompiled,
    Session,
    Signature,
)

F = Frame("/home/u/crop.py", 10, "augment")
RESUMED = Frame("/home/u/crop.py", 14, "torch_dynamo_resume_in_augment_at_14")
REASON = "tensor 'image' stride mismatch at index 0. expected 400, actual 1024"
CROP = Input("image", shape=(2, 1, 20, 20), stride=(1024, 1024, 32, 1))


def cause(given: Input):
    events = (
        Compiled(0, "0/0", F, at=0.0),
        Compiled(0, "1/0", RESUMED, at=0.1),
        Called(0, 0, 0, 0.0, 0.5, compiles=("0/0", "1/0"), signature=0),
        Recompiled(0, "1/1", RESUMED, at=1.0, reasons=(parse_reason(REASON),)),
        Compiled(0, "1/1", RESUMED, at=1.0, recompile=True, inputs=(CROP,)),
        Called(0, 0, 1, 1.0, 0.5, compiles=("1/1",)),
    )
    called = (Callable(0, "augment", F),)
    session = Session(events=events, callables=called, signatures=(Signature((given,)),))
    (found,) = diagnose(session).causes
    return found


def test_an_argument_bound_anew_is_told_from_what_the_call_brought():
    found = cause(Input("image", shape=(2, 1, 32, 32), stride=(1024, 1024, 32, 1)))
    assert found.why.startswith("`image`, made before the graph break at line 14, had stride 400")
    assert [item.id for item in found.remedies] == ["remove_break"]


def test_an_argument_that_reaches_the_break_as_it_came_is_an_argument():
    found = cause(CROP)
    assert found.why.startswith("`image` had stride 400")
    assert [item.id for item in found.remedies][:2] == ["clone", "contiguous"]


@pytest.mark.parametrize("given", [CROP, Input("image", type="list", value="empty")])
def test_a_guard_without_a_line_is_placed_where_the_continuation_begins(given: Input):
    assert (cause(given).frame.line, cause(given).frame.function) == (14, "augment")
