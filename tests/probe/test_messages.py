"""Quiet messages: from torch's loggers through the agent's filter into events."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from compilescope.model import CudaGraphed, Warned
from compilescope.probe.session import from_raw

AGENT = Path(__file__).parents[2] / "compilescope" / "probe" / "agent"
LEVELS = (17, 7)
MOVED = (
    "[0/0] Re-recording function=partition_0, mode=INFERENCE, reason=static input data pointer"
    " changed.\ninput name: arg0_1. data pointer changed from 1403665{n} to 1403666{n}. input stack"
    ' trace:   File "/home/u/a.py", line 12, in forward\n    return x @ w\n'
)


@pytest.fixture
def listening(monkeypatch, tmp_path):
    """A logger as torch's with our filter, and what to do at the end of the process."""
    monkeypatch.syspath_prepend(str(AGENT))
    from _compilescope_agent import torch_messages
    from _compilescope_agent.record import Record

    record = Record(str(tmp_path))
    ours = {}
    for kind in ("cudagraph", "perf_hint"):
        logger = logging.getLogger(f"compilescope.test.{kind}")
        logger.setLevel(7)
        ours[kind] = torch_messages.QuietFilter(record, kind, LEVELS)
        logger.addFilter(ours[kind])
    yield SimpleNamespace(
        record=record,
        cudagraph=logging.getLogger("compilescope.test.cudagraph"),
        perf_hint=logging.getLogger("compilescope.test.perf_hint"),
        end=lambda: [one._end() for one in ours.values()],
    )
    for kind, one in ours.items():
        logging.getLogger(f"compilescope.test.{kind}").removeFilter(one)
    for name in [name for name in sys.modules if name.startswith("_compilescope_agent")]:
        del sys.modules[name]


def test_steps_of_cuda_graphs_are_counted_whatever_their_addresses(listening, tmp_path, caplog):
    log = listening.cudagraph
    log.debug("[0/0] Running warmup function=partition_0, mode=INFERENCE")
    for number in (10, 11, 12):
        log.debug(MOVED.format(n=number))
        log.debug("[0/0] Recording function=f, cuda_graph_id=%d, inputs: %d", number, number)
    listening.end()
    found = {e.what: e for e in from_raw(tmp_path).events if isinstance(e, CudaGraphed)}
    assert {what: event.times for what, event in found.items()} == {
        "warmed_up": 1,
        "rerecorded": 3,
        "recorded": 3,
    }
    assert found["rerecorded"].inputs == ("arg0_1",)
    assert found["rerecorded"].frame is not None
    assert found["rerecorded"].frame.line == 12
    assert listening.record.saw_cudagraphs
    assert caplog.records == [], "the program sees nothing that it had not asked for"


def test_warnings_still_reach_the_program(listening, caplog):
    listening.cudagraph.warning("skipping cudagraphs due to cpu device (x)")
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_hint_has_the_line_of_the_operator_that_is_lowered(listening, tmp_path, monkeypatch):
    stack = '  File "/home/u/model.py", line 9, in forward\n    y = torch.sort(x)[0]\n'
    node = SimpleNamespace(meta={"stack_trace": stack})
    code = compile(
        "def warn(self, log):\n    log.info('Using FallbackKernel: aten.sort')\n",
        "/x/site-packages/torch/_inductor/graph.py",
        "exec",
    )
    namespace: dict = {}
    exec(code, namespace)
    lowering = type("GraphLowering", (), {})()
    lowering.current_node = node
    namespace["warn"](lowering, listening.perf_hint)
    namespace["warn"](lowering, listening.perf_hint)
    listening.end()
    (hint,) = [event for event in from_raw(tmp_path).events if isinstance(event, Warned)]
    assert (hint.kind, hint.times) == ("perf_hint", 2)
    assert hint.frame is not None
    assert (hint.frame.path, hint.frame.line, hint.frame.code) == (
        "/home/u/model.py",
        9,
        "y = torch.sort(x)[0]",
    )
