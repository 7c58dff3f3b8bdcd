"""Recorded traces (tests/data/traces) against what their programs do."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope.logs.structured import read_trace
from compilescope.model import (
    Compiled,
    Errored,
    FellBack,
    GraphBroke,
    Recompiled,
    Specialized,
    Symbol,
)

DATA = Path(__file__).parents[1] / "data/traces"
PROGRAM = "/home/user/project/programs.py"


def read(name):
    return read_trace([DATA / f"{name}.log.xz"])


def of(log, kind):
    return [event for event in log.events if isinstance(event, kind)]


@pytest.mark.parametrize("path", sorted(DATA.glob("*.xz")), ids=lambda path: path.name[:12])
def test_everything_is_known_and_placed(path):
    log = read_trace([path])
    assert {gap.what for gap in log.gaps} <= {"stack frames whose file is not in the log"}
    assert log.environment.torch.startswith("2.13.0")
    assert log.environment.config["dynamo.recompile_limit"]
    for event in log.events:
        if isinstance(event, Compiled | Recompiled | FellBack):
            assert event.frame.path
            assert event.frame.function
            assert event.at is not None


def test_limit():
    log = read("limit")
    assert [event.compile_id for event in of(log, Compiled)] == ["0/0", "0/1"]
    first, second = of(log, Recompiled)
    assert (len(first.reasons), first.refused) == (1, False)
    assert (len(second.reasons), second.refused, second.frame.function) == (2, True, "scale")
    (fell,) = of(log, FellBack)
    assert (fell.limit, fell.limit_name, fell.compile_id) == (2, "recompile_limit", "0/2")
    kinds = [type(event) for event in log.events]
    assert kinds == [Compiled, Recompiled, Compiled, Recompiled, FellBack]


def test_breaks():
    log = read("breaks")
    compiled = {event.compile_id: event for event in of(log, Compiled)}
    assert [event.outcome for event in compiled.values()] == [
        "empty",
        "empty",
        "compiled",
        "compiled",
        "skipped",
    ]
    assert compiled["0/0"].attempts == 2
    assert compiled["0/0"].wasted > 0
    assert compiled["2/0"].frame.function == "torch_dynamo_resume_in_helper_at_25"
    assert [event.frame.line for event in of(log, GraphBroke)] == [25, 25, 35]
    assert not of(log, Errored)


def test_training():
    log = read("training")
    forward, backward, again = of(log, Compiled)
    assert (forward.compile_id, backward.compile_id, again.compile_id) == ("0/0", "0/0", "0/1")
    assert backward.backward
    assert not forward.backward
    assert list(forward.phases) == ["dynamo", "aot", "inductor", "codegen", "kernels"]
    assert sum(forward.phases.values()) == pytest.approx(forward.seconds)
    assert forward.caches == {"fx_graph": "miss", "aotautograd": "miss"}
    assert [item.source for item in forward.inputs] == ["args[0]"]
    assert any("size=[3, 4]" in guard for guard in forward.guards)
    assert again.recompile


def test_errors():
    log = read("errors")
    assert [(event.kind, event.compile_id) for event in of(log, Errored)] == [
        ("BackendCompilerFailed", "0/0"),
        ("Unsupported", "1/0"),
        ("RecompileError", "2/1"),
        ("FailOnRecompileLimitHit", "3/1"),
    ]
    assert [(event.compile_id, event.refused) for event in of(log, Recompiled)] == [
        ("2/1", False),
        ("3/1", True),
    ]
    assert not of(log, FellBack)


def test_symbols():
    log = read("symbols")
    assert of(log, Recompiled)[0].reasons[0].kind == "shape.duck"
    assert {event.source for event in of(log, Symbol)} >= {"L['x'].size()[0]", "L['y'].size()[0]"}
    (event,) = of(log, Specialized)
    assert (event.value, event.frame.path) == ("4", PROGRAM)


def test_variants_are_no_recompiles():
    log = read("variants")
    assert [event.compile_id for event in of(log, Compiled)] == ["0/0", "0/1"]
    assert not any(event.recompile for event in of(log, Compiled))
    assert not of(log, Recompiled)


def test_nothing():
    assert [event.outcome for event in of(read("nothing"), Compiled)] == ["empty"]


def test_a_forked_child_goes_on_with_its_parents_numbers():
    log = read_trace([DATA / "forked.log.xz", DATA / "forked_1.log.xz"])
    assert len(log.processes) == 2
    child = [event for event in of(log, Compiled) if event.process == 1]
    assert [event.compile_id for event in child] == ["0/1"]
    assert child[0].frame.path == PROGRAM  # the metrics have the name that the table lacks
    assert [gap.what for gap in log.gaps] == ["stack frames whose file is not in the log"]
