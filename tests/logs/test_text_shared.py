"""Text and trace of the same recorded runs tell the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from compilescope.logs.structured import read_trace
from compilescope.logs.text import read_text
from compilescope.model import GraphBroke, Recompiled

CASES = Path(__file__).parents[3] / "shared" / "cases"
GUARDS = sorted((CASES / "guards").glob("*/env.json"))
USER = sorted((CASES / "user").glob("*/trace"))
pytestmark = pytest.mark.skipif(not GUARDS, reason="the shared cases are not here")


def recompiled(log):
    return Counter(
        (
            event.compile_id,
            event.frame,
            tuple((reason.kind, reason.source) for reason in event.reasons),
            event.refused,
        )
        for event in log.events
        if isinstance(event, Recompiled) and event.compile_id
    )


def broke(log):
    return Counter(
        (event.gb_id, event.frame, event.whole_frame)
        for event in log.events
        if isinstance(event, GraphBroke)
    )


@pytest.mark.parametrize("path", GUARDS, ids=lambda path: path.parent.name)
def test_guard_cases(path):
    trace = path.parent / "trace.log.xz"
    if not trace.exists():
        pytest.skip("no trace")
    logged = json.loads(path.read_text()).get("TORCH_LOGS", "")
    text, traced = read_text(path.parent / "torch_logs.txt"), read_trace([trace])
    assert not any(gap.what == "records cut short" for gap in text.gaps)
    if "recompiles_verbose" in logged:
        assert {key[0] for key in recompiled(text)} == {key[0] for key in recompiled(traced)}
    elif "recompiles" in logged:
        assert recompiled(text) == recompiled(traced)
    if "graph_breaks" in logged:
        assert broke(text) == broke(traced)


@pytest.mark.parametrize("path", USER, ids=lambda path: path.parent.name)
def test_user_cases(path):
    text, traced = read_text(path.parent / "log.txt"), read_trace([path])
    assert recompiled(text) == recompiled(traced)
    assert broke(text) == broke(traced)
    truth = json.loads((path.parent / "meta.json").read_text())["truth"]
    assert sum(recompiled(text).values()) == truth["recompiles"]
    assert sum(broke(text).values()) == truth["graph_break_events"]
    lines = Counter(event.frame.line for event in text.events if isinstance(event, GraphBroke))
    expected = Counter()
    for item in truth["graph_breaks"]:
        expected[item.get("user_line", item["line"])] += item["times"]
    assert lines == expected
