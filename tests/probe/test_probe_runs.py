"""Real torch programs under the probe: what is recorded, and that nothing else changes."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from compilescope.model import Called, Compiled, FellBack, GraphBroke, Recompiled

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

WORKLOADS = Path(__file__).resolve().parents[1] / "workloads"
TEN = [1, 4, 12, 24, 40, 60, 84, 112, 144, 180]
# Log lines carry a time, a pid and addresses; all else must be equal.
VARYING = re.compile(rb"(?<=[WIVEC])\d{4} [\d:.]+ \d+|0x[0-9a-f]+")


@pytest.fixture(scope="module")
def ways(shared_runner):
    program = str(WORKLOADS / "many_ways.py")
    return shared_runner.plain(program), shared_runner.probe("-q", program)


def seen(ran, name):
    return [(call.index, call.compiles, call.eager, call.error) for call in ran.calls(name)]


def test_nothing_changes(ways):
    plain, probed = ways
    assert plain.code == probed.code == 0
    assert probed.stdout == plain.stdout
    assert VARYING.sub(b"", probed.stderr) == VARYING.sub(b"", plain.stderr)
    assert b"hit config.recompile_limit" in plain.stderr


def test_every_way_is_recorded(ways):
    session = ways[1].session
    kinds = {(item.name, item.kind) for item in session.callables}
    assert {
        ("decorated", "function"), ("plain", "function"), ("broken", "function"),
        ("partial", "function"), ("Layer", "module"), ("failing", "function"),
    } <= kinds  # fmt: skip
    # Compiled, deep-copied, module.compile(), and three layers: six instances.
    assert sum(item.name == "Layer" for item in session.callables) == 6
    assert all(item.options["backend"] == "eager" for item in session.callables)


def test_calls_know_what_they_paid_for(ways):
    probed = ways[1]
    assert [bool(ids) for _, ids, _, _ in seen(probed, "decorated")] == [True, True, False, True]
    assert [error for *_, error in seen(probed, "failing")] == ["", "ValueError", "", ""]
    # The graph break in `broken` was continued by a second compile in the same call.
    assert [len(ids) for _, ids, _, _ in seen(probed, "broken")] == [2, 0]
    session = probed.session
    compiled = {
        event.compile_id
        for event in session.events
        if isinstance(event, Compiled) and event.process == 0 and not event.backward
    }
    paid = {
        name
        for event in session.events
        if isinstance(event, Called) and event.process == 0
        for name in event.compiles
    }
    assert paid == compiled


def test_eager_calls_after_the_limit(ways):
    probed = ways[1]
    calls = probed.calls("limited.<locals>.<lambda>")
    # Rows 2, 3, 4, 2, 3, 4, 5, 5 with room for two graphs.
    assert [call.eager for call in calls] == [False, False, True, False, False, True, True, True]
    fallbacks = [e for e in probed.session.events if isinstance(e, FellBack)]
    assert [event.limit for event in fallbacks] == [2]


SHARING = """
import torch
class Block(torch.nn.Module):
    def forward(self, x):
        return x + 1
torch._dynamo.config.automatic_dynamic_shapes = False
first, second = Block(), Block()
with torch._dynamo.config.patch(recompile_limit=2):
    for block, rows in ((first, 2), (second, 3), (first, 4), (second, 5), (second, 3)):
        block.compile(backend="eager") if block._compiled_call_impl is None else None
        block(torch.ones(rows))
"""


def test_the_limit_of_one_model_is_that_of_every_model_with_its_code(runner, tmp_path):
    program = tmp_path / "sharing.py"
    program.write_text(SHARING)
    session = runner.probe("-q", str(program)).session
    calls = [event for event in session.events if isinstance(event, Called)]
    # The second block met no limit of its own: PyTorch says that it is reached once.
    assert [(call.callable, call.eager) for call in calls] == [
        (0, False), (1, False), (0, True), (1, True), (1, False),
    ]  # fmt: skip


def test_signatures(ways):
    probed = ways[1]
    session = probed.session
    calls = probed.calls("decorated")
    first = session.signatures[calls[0].signature].inputs
    assert [item.source for item in first] == [
        "x", "batch['ids']", "rest[0]", "rest[1]", "scale", "named['more']",
    ]  # fmt: skip
    assert (first[0].shape, first[0].stride, first[0].dtype) == ((2,), (1,), "torch.float32")
    assert (first[0].device, first[4].value, first[5].type) == ("cpu", "3", "NoneType")
    assert calls[2].signature is None  # the same inputs as the call before
    assert session.signatures[calls[3].signature].inputs[0].shape == (1,)
    layer = probed.calls("Layer")
    assert [i.source for i in session.signatures[layer[0].signature].inputs] == ["x", "mask"]
    assert session.signatures[layer[1].signature].inputs[0].requires_grad


def test_threads_and_children(ways):
    session = ways[1].session
    threads = {call.thread for call in ways[1].calls("plain")}
    assert len(threads) >= 2
    assert [process.how for process in session.processes] == ["exited"] * 3
    assert {process.parent for process in session.processes[1:]} == {session.processes[0].pid}
    owners = {item.process for item in session.callables if item.name == "decorated"}
    assert owners == {0, 1, 2}
    children = [e for e in session.events if isinstance(e, Called) and e.process > 0]
    assert [call.index for call in children] == [0, 0]


def test_environment_and_sources(ways):
    session = ways[1].session
    assert re.match(r"\d+\.\d+", session.environment.torch)
    assert json.loads(session.environment.config["dynamo.recompile_limit"]) == 8
    path = str(WORKLOADS / "many_ways.py")
    assert "return x * scale" in "".join(session.sources[path].values())
    named = {e.gb_id for e in session.events if isinstance(e, GraphBroke)} - {""}
    assert {kind.gb_id for kind in session.graph_break_kinds} == named
    assert not [gap for gap in session.gaps if "agent" in gap.what]


def test_graph_net_recompiles_ten_times(runner):
    probed = runner.probe(str(WORKLOADS / "graph_net.py"), "--backend=eager")
    session = probed.session
    calls = [event for event in session.events if isinstance(event, Called)]
    assert len(calls) == 190
    assert [call.index for call in calls if call.compiles] == [0, *TEN]
    recompiles = [event for event in session.events if isinstance(event, Recompiled)]
    paid = {name: call.index for call in calls for name in call.compiles}
    assert [paid[event.compile_id] for event in recompiles] == TEN
    assert session.how == "exited"
    assert b"10 recompiles" in probed.stderr


def test_killed_and_waiting(runner):
    """Two programs at once: one kills itself, one is interrupted while it waits."""
    program = str(WORKLOADS / "killed.py")
    waiting = runner.start("-q", program, "wait")
    runner_of_other = type(runner)(runner.folder / "other")
    runner_of_other.folder.mkdir()
    killed = runner_of_other.probe("-q", program, "kill")
    assert (killed.code, killed.stdout) == (137, b"ready\n")
    assert (killed.session.how, killed.session.processes[0].signal) == ("killed", "SIGKILL")
    assert [bool(call.compiles) for call in killed.calls("step")] == [True, False, False]

    assert waiting.stdout.readline() == b"ready\n"
    waiting.send_signal(signal.SIGINT)
    _, stderr = waiting.communicate(timeout=60)
    assert b"KeyboardInterrupt" in stderr
    # With some builds an uncaught KeyboardInterrupt ends Python with 1, as without a probe.
    assert waiting.returncode in (1, 130)
    interrupted = type(killed)(waiting.returncode, b"", stderr, runner.folder).session
    assert (interrupted.how, interrupted.code) == ("interrupted", waiting.returncode)


def test_many_calls_in_a_trace_of_the_users_own(runner):
    """TORCH_TRACE that the user set stays theirs, and is read as well."""
    runner.variables["TORCH_TRACE"] = str(runner.folder / "mine")
    (runner.folder / "mine").mkdir()
    old = runner.folder / "mine" / "dedicated_log_torch_trace_old.log"
    old.write_text('V0101 00:00:00.000000 1 a.py:1] {"str": ["old.py", 0]}\n')
    os.utime(old, (1, 1))
    probed = runner.probe("-q", str(WORKLOADS / "killed.py"), "many")
    calls = probed.calls("step")
    assert [call.index for call in calls] == list(range(5003))
    assert len(list((runner.folder / "mine").glob("*.log"))) == 2
    compiled = [e for e in probed.session.events if isinstance(e, Compiled)]
    assert [event.compile_id for event in compiled] == ["0/0"]
    assert [call.index for call in calls if call.compiles] == [0]


def test_failing_program(runner):
    probed = runner.probe("-q", str(WORKLOADS / "killed.py"), "raise")
    assert probed.code == 1
    assert probed.session.processes[0].error == "RuntimeError: the third batch is bad"
    assert probed.session.how == "failed"
    assert len(probed.calls("step")) == 3
