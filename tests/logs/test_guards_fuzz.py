"""Any text is read without an exception, and quickly."""

from __future__ import annotations

import json
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from compilescope.logs.guards import KINDS, parse_reason, split_reasons

RECORDED = [
    json.loads(line)["text"]
    for line in (Path(__file__).parents[1] / "data/guards/torch_2_13.jsonl")
    .read_text()
    .splitlines()
]
PIECES = st.sampled_from(
    [
        "'",
        '"',
        "#",
        "  # ",
        "; ",
        "\n",
        "(",
        ")",
        "[",
        "]",
        "L['x']",
        "- ",
        "0/1: ",
        "==",
        " is ",
        "not ",
    ]
)


def check(text):
    for reason in (text, *split_reasons(text)):
        failure = parse_reason(reason, known_paths=("/a/b.py",), torch=(2, 13))
        assert failure.kind in KINDS
        assert failure.raw in reason or failure.raw.strip() in reason


@given(st.text(max_size=300))
@settings(max_examples=500, deadline=None)
def test_any_text(text):
    check(text)


@given(st.sampled_from(RECORDED), st.integers(0, 400), st.integers(0, 40), PIECES)
@settings(max_examples=1500, deadline=None)
def test_mutations_of_real_reasons(text, at, cut, piece):
    check(text[:at] + piece + text[at + cut :])


@given(st.sampled_from(RECORDED), st.integers(0, 400))
@settings(max_examples=500, deadline=None)
def test_cut_reasons(text, at):
    check(text[:at])
    check(text[at:])


def test_long_texts_do_not_blow_up():
    start = time.perf_counter()
    for text in (
        "tensor '" * 20_000,
        "(" * 50_000,
        "x == " + "[" * 5_000,
        "not " * 20_000,
        "'" * 50_001,
        "# a.py:1 in f (" * 10_000,
        "; " * 30_000,
        "x is " * 20_000,
    ):
        check(text)
    assert time.perf_counter() - start < 10


def test_reading_is_fast():
    best = min(_seconds() for _ in range(5))
    assert len(RECORDED) / best > 5_000  # 20,000 on an idle machine


def _seconds():
    start = time.perf_counter()
    for text in RECORDED:
        parse_reason(text)
    return time.perf_counter() - start
