"""The recorded cases beside the checkout: every record is known, every count agrees with truth."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compilescope.logs.structured import read_trace
from compilescope.model import Compiled, FellBack, GraphBroke, Recompiled

SHARED = Path(__file__).parents[3] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared cases")
GUARDS = sorted(SHARED.glob("cases/guards/*/trace.log.xz"))
USER = sorted(SHARED.glob("cases/user/*/trace"))
MODELS = sorted(SHARED.glob("traces/*.trace.log.xz"))
INDEX = SHARED / "cases/guards/index.json"
_RECOMPILING = re.compile(r"\[(\d+/\d+)(?:_\d+)?\] \[__recompiles(?:_verbose)?\] Recompiling ")


def of(log, kind):
    return [event for event in log.events if isinstance(event, kind)]


def check(log):
    assert not log.gaps
    for event in of(log, Compiled) + of(log, Recompiled):
        assert event.frame.path
        assert event.frame.function
    compiled = {event.compile_id: event for event in of(log, Compiled) if not event.backward}
    for event in of(log, Recompiled):
        assert event.reasons
        if event.compile_id in compiled:
            assert compiled[event.compile_id].recompile


@pytest.mark.parametrize("path", GUARDS, ids=lambda path: path.parent.name)
def test_guard_cases(path):
    log = read_trace([path])
    check(log)
    (case,) = (
        case
        for case in json.loads(INDEX.read_text())
        if f"{case['id']}_{case['name']}" == path.parent.name
    )
    found = {event.compile_id: event for event in of(log, Recompiled)}
    for reason in case["reasons"]:  # the index keeps some of the entries of a recompile
        entries = [failure.entry for failure in found[reason["cid"].partition("_")[0]].reasons]
        assert reason["entry"] in entries
    # The second half of a chained break is an item of its own in the index.
    heads = [item for item in case["graph_breaks"] if " in user code at " in item["head"]]
    if heads:
        assert len(of(log, GraphBroke)) == len(heads)
    printed = _RECOMPILING.findall((path.parent / "torch_logs.txt").read_text(errors="replace"))
    if printed:
        assert printed == [event.compile_id for event in of(log, Recompiled)]


@pytest.mark.parametrize("folder", USER, ids=lambda path: path.parent.name)
def test_user_cases(folder):
    truth = json.loads((folder.parent / "meta.json").read_text())["truth"]
    log = read_trace([folder])
    check(log)
    assert len(of(log, Recompiled)) == truth["recompiles"]
    refused = [event for event in of(log, Recompiled) if event.refused]
    assert len(of(log, Recompiled)) - len(refused) == truth["recompiles_completed"]
    assert len(of(log, GraphBroke)) == truth["graph_break_events"]
    assert len(of(log, FellBack)) == len(truth["recompile_limit_hits"])


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name.partition(".")[0])
def test_model_traces(path):
    log = read_trace([path])
    check(log)
    assert log.environment.torch.startswith("2.11")
    assert any(event.inputs for event in of(log, Compiled))
    for event in of(log, Compiled):
        if event.outcome == "compiled" and not event.backward:
            assert event.guards
            assert sum(event.phases.values()) == pytest.approx(event.seconds)
