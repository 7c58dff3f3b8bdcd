"""A size that the code leaves open and inductor fixes (tests/data/logs/torch211_padded)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope.diagnose import diagnose
from compilescope.logs.reader import read
from compilescope.model import Specialized
from compilescope.tune.plan import candidates
from compilescope.tune.situation import Situation

TRACE = Path(__file__).parents[1] / "data" / "logs" / "torch211_padded.trace.log.xz"


@pytest.fixture(scope="module")
def session():
    return read([TRACE])


def test_the_compiler_is_told_from_the_code(session):
    fixed = [event for event in session.events if isinstance(event, Specialized)]
    assert {(event.value, event.by_inductor, event.frame) for event in fixed} == {
        ("61", True, None),
        ("48", True, None),
    }


def test_no_mark_is_offered_where_it_would_raise(session):
    (cause,) = diagnose(session).causes
    assert "inductor fixed it while it compiled" in cause.why
    assert [remedy.id for remedy in cause.remedies] == [
        "shape_padding", "aligned_width", "return_less", "pad",
    ]  # fmt: skip


def test_tune_tries_it_first(session):
    diagnosis = diagnose(session)
    first, *_ = candidates(Situation(diagnosis.causes[0], session, diagnosis))
    assert first.id == "shape_padding"
    assert [entry.content for entry in first.entries] == [{"inductor.shape_padding": False}]
