"""Process-wide settings that differ from call to call: held, warmed up under, and edited around."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import compilescope.probe
from compilescope.tune.mode_edits import held_at
from compilescope.tune.plan import candidates
from compilescope.tune.situation import Situation
from compilescope.tune.source_edits import CannotEditError
from compilescope.tune.trials import Attempt, Bench
from compilescope.tune.warm import replay

PROGRAM = """
import torch

{functions}
x = torch.ones(3)
for odd in (False, True):
    torch.set_num_threads(1 + odd)
    thread(x)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(odd)
    strict(x)
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("high" if odd else "highest")
    precise(x)
    torch.set_float32_matmul_precision("highest")
    torch.set_default_dtype(torch.float64 if odd else torch.float32)
    typed(x)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device("cpu" if odd else None)
    placed(x)
    torch.set_default_device(None)
    with torch.set_grad_enabled(odd):
        graded(x)
    with torch.autocast("cpu", enabled=odd):
        cast(x)
"""
FUNCTIONS = "".join(
    f'@torch.compile(backend="eager")\ndef {name}(x):\n    return x.sin() + 1\n'
    for name in ("thread", "strict", "precise", "typed", "placed", "graded", "cast")
)


@pytest.mark.torch
@pytest.mark.slow
def test_each_setting_is_held_or_warmed_up_under(tmp_path):
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(functions=FUNCTIONS))
    bench = Bench((sys.executable, str(script)), "program.py", tmp_path, quiet=True)
    base = bench.start()
    assert base.trial.measures.recompiles == 7
    plans = [
        candidates(Situation(cause, base.session, base.diagnosis))[0]
        for cause in base.diagnosis.causes
    ]
    assert sorted(one.id for one in plans) == [
        "autocast_inside", "same_mode", "same_mode", "set_once", "set_once", "set_once", "set_once",
    ]  # fmt: skip
    held = bench.attempt(Attempt(tuple(plans)))
    assert (held.trial.outcome, held.trial.outputs) == ("solved", "agree"), held.trial
    assert held.notes.held["default_dtype"] == "float32"
    warm = bench.attempt(Attempt(tuple(replay(base))))
    assert (warm.trial.outcome, warm.trial.outputs) == ("solved", "agree"), warm.trial
    assert warm.trial.measures.warm_up > 0


@pytest.mark.torch
def test_every_setting_is_put_back_as_it_was(monkeypatch):
    torch = pytest.importorskip("torch")
    agent = Path(compilescope.probe.__file__).parent / "agent"
    monkeypatch.syspath_prepend(str(agent))
    from _compilescope_agent import overlay_modes

    before = overlay_modes.state()
    assert set(before) == set(overlay_modes.MODES)
    autocast, cache = before["autocast"]
    other = before | {
        "grad_mode": not before["grad_mode"],
        "autocast": [autocast | {"cpu": [True, "float16"]}, not cache],
        "deterministic_algorithms": [True, True],
        "allow_tf32": "medium",
        "num_threads": before["num_threads"] + 1,
        "default_dtype": "float64",
        "default_device": ["cpu"],
    }
    with torch.device("meta"):
        inside = overlay_modes.state()
        with overlay_modes.held(other):
            assert overlay_modes.state() == other
            assert torch.ones(1).device.type == "cpu"
        assert overlay_modes.state() == inside
        assert torch.ones(1).device.type == "meta"
    assert overlay_modes.state() == before


@pytest.mark.parametrize(
    ("line", "mode", "value", "after"),
    [
        ("y = m(x)", "grad_mode", False, "with torch.no_grad():\n    y = m(x)\n"),
        ("y = m(x)", "default_device", ["cpu"], "with torch.device('cpu'):\n    y = m(x)\n"),
        (
            "m(x, n=a.b)", "default_dtype", "float32",
            ("earlier_default_dtype = torch.get_default_dtype()\n"
            "torch.set_default_dtype(torch.float32)\n"
            "try:\n    m(x, n=a.b)\n"
            "finally:\n    torch.set_default_dtype(earlier_default_dtype)\n"),
        ),
        ("y = m(x) + 1", "grad_mode", False, None),
        ("y = m(torch.ones(2))", "grad_mode", False, None),
        ("y = torch.relu(m(x))", "grad_mode", False, None),
        ("y = m(x); z = 1", "grad_mode", False, None),
        ("y = m(x)", "autocast", [{}, True], None),
        ("y = m(x)", "default_device", [], None),
    ],
)  # fmt: skip
def test_the_statement_of_the_call_is_put_under_the_setting(line, mode, value, after):
    text = f"import torch\n\n# The call.\n{line}\n"
    if after is None:
        with pytest.raises(CannotEditError):
            held_at(text, 4, mode, value)
    else:
        assert held_at(text, 4, mode, value) == f"import torch\n\n# The call.\n{after}"


def test_two_calls_hold_the_same_setting_and_a_name_of_the_users_is_left_alone():
    text = "import torch\ny = m(x)\nz = m(y)\n"
    once = held_at(text, 3, "num_threads", 4)
    assert held_at(once, 2, "num_threads", 4).count("earlier_num_threads = ") == 2
    with pytest.raises(CannotEditError, match="is a name already"):
        held_at(text + "earlier_num_threads = 1\n", 2, "num_threads", 4)
