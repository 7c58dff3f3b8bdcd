"""The filter language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compilescope.filters import parse

ROW = {
    "kind": "tensor.size",
    "rule": "CS201 data-dependent",
    "file": "/home/user/project/model.py",
    "fn": "forward",
    "cause": "A",
    "phase": "dynamo inductor",
    "n": 4,
    "s": 0.382,
    "call": 120,
    "why": "`mask` had 2 dimensions",
}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "mask",
        "MASK",
        "kind:size",
        "kind:SIZE",
        "rule:CS2",
        "file:model.py",
        "fn:forward",
        "cause:A",
        "phase:inductor",
        "n>3",
        "n>=4",
        "n=4",
        "n<5",
        "n<=4",
        "s>50ms",
        "s<1",
        "s<1s",
        "s>0.1",
        "s<1min",
        "call>100",
        "!warmup",
        "!kind:rank",
        "!n>10",
        "mask kind:size n>3",
        '"had 2 dim"',
        '!"had 3 dim"',
        "n>",
        "kind:",
        "!",
        '"',
        "dimensions file:model",
    ],
)
def test_holds(query):
    assert parse(query).holds(ROW)


@pytest.mark.parametrize(
    "query",
    [
        "absent",
        "kind:rank",
        "fn:model",
        "n>4",
        "n<4",
        "n=3",
        "s>1",
        "s<50ms",
        "s>380us s<381us",
        "call<100",
        "!mask",
        "!kind:size",
        "!n>3",
        "mask absent",
        '"had 3 dim"',
        "file:mask",
    ],
)
def test_does_not_hold(query):
    assert not parse(query).holds(ROW)


def test_a_colon_after_another_word_is_text():
    values = {"file": "a/model.py:88"}
    assert parse("model.py:88").holds(values)
    assert not parse("model.py:89").holds(values)


def test_a_quoted_value_of_a_field_may_hold_blanks():
    assert parse('fn:"my step"').holds({"fn": "my step"})
    assert not parse('fn:"my step"').holds({"fn": "my", "x": "step"})


def test_a_number_that_is_unknown_fulfils_no_comparison():
    assert not parse("s>0").holds({"s": None})
    assert parse("!s>0").holds({"s": None})


def test_a_comparison_with_a_word_is_text():
    assert parse("n>many").holds({"why": "n>many"})


@given(st.text())
def test_every_text_is_a_query(text):
    parse(text).holds(ROW)


@given(st.text(), st.text())
def test_terms_narrow(one, other):
    both = parse(f"{one} {other}")
    if '"' not in one and both.holds(ROW):
        assert parse(one).holds(ROW)
