"""The text of one graph break."""

from __future__ import annotations

import pytest

from compilescope.logs.breaks import parse_break

STACK = """\
User code traceback:
  File "/home/u/train.py", line 30, in <module>
    main()
  File "/home/u/train.py", line 20, in torch_dynamo_resume_in_main_at_18
    m = deepcopy(model)
        ^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/copy.py", line 153, in deepcopy
    y = copier(memo)
"""
BLOCK = """\
Attempted to copy.deepcopy a tensor
  Explanation: Dynamo does not support copy.deepcopy() on tensors.
    It never did.
  Hint: Avoid calling copy.deepcopy() on tensors.
  Hint: Another
    in two lines.

  Developer debug context: copy.deepcopy(TensorVariable())

 For more details about this graph break, please visit: https://x.io/gb/gb4198.html
"""
CHAIN = """
*** While handling this graph break, another graph break occurred: ***

graph break in loop
  Explanation: A loop.
  Hint: An earlier break may be the reason.

  Developer debug context: frame skipped: main (/home/u/train.py line 18)

 For more details about this graph break, please visit: https://x.io/gb/gb7000.html

Stack variable source attribution:
  RangeIteratorVariable() originated from:
  File "/home/u/other.py", line 4
        for i in range(3):
"""
HEAD = "Graph break in user code at /usr/lib/python3.11/copy.py:153\nGraph Break Reason: "
CALL = "Encountered graph break when attempting to trace CALL: a call, e.g. f(x, y):\n\n"
GAVE_UP = (
    "Failed to handle graph break gracefully. Skipping the function and falling back to eager."
    " Graph break encountered:\n\n"
)


def parse(text):
    event = parse_break(text, process=2, compile_id="0/1", at=1.5)
    assert event is not None
    return event


@pytest.mark.parametrize(("lead", "whole"), [("", False), (CALL, False), (GAVE_UP, True)])
def test_lead_lines_are_not_the_type(lead, whole):
    event = parse(HEAD + lead + BLOCK + "\n" + STACK)
    assert (event.type, event.gb_id) == ("Attempted to copy.deepcopy a tensor", "GB4198")
    assert event.whole_frame is whole
    assert event.explanation.endswith("It never did.")
    assert event.hints == ("Avoid calling copy.deepcopy() on tensors.", "Another\nin two lines.")
    assert event.context == "copy.deepcopy(TensorVariable())"
    assert event.cause == ""


def test_the_frame_is_the_last_of_the_users_own():
    event = parse(HEAD + CALL + BLOCK + "\n" + STACK)
    assert (event.frame.path, event.frame.line) == ("/home/u/train.py", 20)
    assert (event.frame.function, event.frame.code) == ("main", "m = deepcopy(model)")
    assert len(event.stack) == 3


def test_a_packages_frame_comes_before_pythons_own():
    text = STACK.replace("/home/u/", "/v/lib/python3.11/site-packages/x/")
    assert parse(HEAD + BLOCK + "\n" + text).frame.line == 20


def test_a_chain_has_the_first_breaks_type_and_hints():
    event = parse(HEAD + GAVE_UP + BLOCK + CHAIN + "\n" + STACK)
    assert (event.gb_id, event.cause) == ("GB4198", "Attempted to copy.deepcopy a tensor")
    assert event.whole_frame
    assert "graph break in loop" in event.reason
    assert "originated from" not in event.reason
    assert all(frame.path != "/home/u/other.py" for frame in event.stack)


def test_a_duplicate_has_only_its_place():
    head = "Graph break (user stack suppressed due to duplicate graph break) in user code at a.py:3"
    event = parse(head + "\nGraph Break Reason: " + CALL + BLOCK)
    assert event.duplicate
    assert (event.frame.path, event.frame.line, event.stack) == ("a.py", 3, ())
    assert event.gb_id == "GB4198"


def test_the_traces_payload_ends_with_internal_frames():
    internals = 'Traceback (most recent call last):\n  File "/x/mine.py", line 1, in f\n    g()\n'
    event = parse(HEAD + BLOCK + "\n" + STACK + "\n" + internals)
    assert all(frame.path != "/x/mine.py" for frame in event.stack)


def test_verbose_text_has_its_frames_on_both_sides():
    note = "========== most recent `torch.compile` tracing attempt started here ==========\n\n"
    frame = '  File "/home/u/inner.py", line 7, in g\n    x.item()\n'
    after = "NOTE: the most recent `torch.compile` tracing attempt might not be where ...\n"
    bytecode = "Most recent bytecode instructions traced (max 20):\nTRACE RESUME 0 []\n"
    event = parse(HEAD + BLOCK + "\n" + STACK + "\n" + note + frame + "\n" + after + bytecode)
    assert (event.frame.path, event.frame.line) == ("/home/u/inner.py", 7)


def test_a_frame_that_cannot_be_resumed():
    text = (
        "Graph break: torch.compile cannot properly resume from this graph break, which results"
        " in a skip.\ntorch.compile will skip tracing the frame f (/home/u/a.py line 3) and fall"
        " back to eager.\nThe graph break occurred in the following user code:\n"
        '  File "/home/u/a.py", line 5, in f\n    with lock:\n'
        '\nTraceback (most recent call last):\n  File "/t/torch/_dynamo/x.py", line 1, in y\n'
        "torch._dynamo.exc.Unsupported: Unsupported context manager\n  Explanation: No.\n"
        '\nfrom user code:\n  File "/home/u/a.py", line 5, in f\n'
    )
    event = parse(text)
    assert (event.type, event.whole_frame) == ("Unsupported context manager", True)
    assert (event.frame.line, event.explanation) == (5, "No.")


@pytest.mark.parametrize("text", ["", "\n", "Recompiling function f in a.py:1", "Graph breaks: 3"])
def test_other_texts_are_none(text):
    assert parse_break(text, process=0, compile_id="", at=None) is None
