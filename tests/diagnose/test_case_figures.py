"""The figures over the shared cases do not fall."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SHARED / "cases").exists(), reason="the shared cases are not here"),
]


@pytest.fixture(scope="module")
def scores():
    path = ROOT / "tests" / "benchmarks" / "case_scores.py"
    spec = importlib.util.spec_from_file_location("case_scores", path)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["case_scores"] = module
    spec.loader.exec_module(module)
    return module


def test_every_guard_case_is_right_or_disputed_with_a_reason(scores):
    kinds, explained, sources, silent = scores.guards(SHARED)
    assert kinds.right >= 197
    assert explained.wrong == []
    assert sources.wrong == []
    assert silent.wrong == []


def test_every_user_program_is_told_as_it_was_measured(scores):
    for score in scores.user(SHARED):
        assert score.wrong == [], score.name


def test_no_reason_of_the_recorded_traces_is_unknown(scores):
    assert [score.wrong for score in scores.traces(SHARED)] == [[]]


def test_text_and_trace_lead_to_one_diagnosis(scores):
    (same,) = scores.agreement(SHARED)
    # The text alone tells of a recompile that a stance refused, and the trace alone that an equal
    # number had another type.
    assert {line.partition(":")[0] for line in same.wrong} <= {
        "055_const_float_int_type",
        "161_stance_fail_on_recompile",
    }
