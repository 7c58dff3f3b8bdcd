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
RECORDED = "[0/0] Recording function=partition_0, mode=INFERENCE, cuda_graph_id=%d, inputs: %d"
STACK = '  File "/home/u/a.py", line 7, in f\n    return x + scale\n'


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
        messages=torch_messages,
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
        log.debug(RECORDED, number, number)
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


def test_a_graph_that_does_not_fit_is_not_recorded_again_where_another_fits(listening, tmp_path):
    log = listening.cudagraph
    log.debug(RECORDED, 0, 0)
    log.debug(MOVED.format(n=1))
    log.debug("Checkpointing cuda caching allocator state. Number of checkpoints 1")
    log.debug(RECORDED, 1, 1)
    log.debug(MOVED.format(n=1))
    log.debug(MOVED.format(n=1))
    log.debug("[1/0] Recording function=partition_0, mode=INFERENCE, cuda_graph_id=2, inputs: 1")
    listening.end()
    found = [event for event in from_raw(tmp_path).events if isinstance(event, CudaGraphed)]
    assert [event.times for event in found if event.what == "rerecorded"] == [1]
    assert not [event for event in from_raw(tmp_path).events if isinstance(event, Warned)]


def test_recordings_of_torch_2_9_are_counted_whatever_their_number(listening, tmp_path):
    for number in range(3):
        listening.cudagraph.debug("Recording function 0 of graph recording id %d", number)
    listening.end()
    (told,) = [event for event in from_raw(tmp_path).events if isinstance(event, CudaGraphed)]
    assert (told.what, told.times) == ("recorded", 3)


def test_a_set_up_belongs_to_the_graph_that_the_next_record_names(listening, tmp_path):
    log = listening.cudagraph
    for size in (8, 9):
        log.debug("Recording cudagraph tree for symint key (%d,)", size)
        log.debug("[1/0] Running warmup function=partition_0")
    log.debug("Recording cudagraph tree for graph without symints")
    listening.end()
    found = [event for event in from_raw(tmp_path).events if isinstance(event, CudaGraphed)]
    set_up = [(event.compile_id, event.sizes) for event in found if event.what == "set_up"]
    assert set_up == [("1/0", "8"), ("1/0", "9"), ("", "")]


def test_messages_beyond_the_most_that_are_kept_are_counted(listening, tmp_path, monkeypatch):
    monkeypatch.setattr(listening.messages, "_MOST_MESSAGES", 3)
    for number in range(5):
        listening.cudagraph.debug("Recording cudagraph tree for symint key (%d,)", number)
    listening.end()
    (gap,) = [one for one in from_raw(tmp_path).gaps if "messages" in one.what]
    assert "2 after the first 3" in gap.detail


def test_an_operator_outside_of_cuda_graphs_is_told_once_with_its_line(listening, tmp_path, caplog):
    source = """
def _log_non_cudagraphable_node(log, name, fx_node, node=None):
    log.debug("    %s: %s", name, "reason=cpu ops, ir=ComputedBuffer, fx=aten.add.Tensor(x, y)")
    for line in fx_node.meta["stack_trace"].split("\\n") if fx_node else ():
        log.debug("         %s", line)
"""
    namespace: dict = {}
    exec(source, namespace)
    node = SimpleNamespace(meta={"stack_trace": STACK})
    namespace["_log_non_cudagraphable_node"](listening.cudagraph, "op0", node)
    fused = SimpleNamespace(
        get_nodes=lambda: [SimpleNamespace(node=SimpleNamespace(origins=[node]))]
    )
    namespace["_log_non_cudagraphable_node"](listening.cudagraph, "op1", None, fused)
    listening.end()
    (told,) = [event for event in from_raw(tmp_path).events if isinstance(event, Warned)]
    assert (told.kind, told.text, told.times) == ("cudagraph", "cpu ops", 2)
    assert told.frame is not None
    assert (told.frame.line, told.frame.code) == (7, "return x + scale")
    assert caplog.records == []


def test_details_of_partitions_are_asked_for_only_while_cuda_graphs_are_in_use(
    listening, monkeypatch
):
    from _compilescope_agent import torch_logs

    config = SimpleNamespace(triton=SimpleNamespace(cudagraphs=False))
    monkeypatch.setitem(sys.modules, "torch._inductor.config", config)
    logger = logging.getLogger("compilescope.test.partitions")
    logger.setLevel(torch_logs.OUR_LEVEL)
    torch_logs._open_for_cudagraphs(logger)
    assert not logger.isEnabledFor(logging.DEBUG)
    config.triton.cudagraphs = True
    assert logger.isEnabledFor(logging.DEBUG)
    logger.setLevel(logging.INFO)  # by the program
    assert not logger.isEnabledFor(logging.DEBUG)


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
