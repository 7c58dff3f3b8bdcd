"""The patch's words: what is left to do by hand, once, and how far a run proved the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from compilescope.tune.byhand import left_to_the_user
from compilescope.tune.patch_entries import as_called, setting
from compilescope.tune.patch_sources import Sources
from compilescope.tune.patching import patch
from compilescope.tune.remedy import Candidate, Entry, compile_with
from compilescope.tune.source_edits import CannotEditError
from compilescope.tuning import Measures, Trial

TWO = """import torch

torch.compile(f)
torch.compile(g)
"""
SETTING = Candidate("c", "c = 1", (Entry("config", {"dynamo.c": 1}),))
DYNAMIC = Candidate("dynamic_true", "torch.compile(dynamic=True) of f", (compile_with("f"),))


@dataclass
class Bench:
    """Runs nothing: the changed source leaves as many recompiles as it is told."""

    folder: Path
    recompiles: int
    outputs: str = "agree"
    command: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        script = self.folder / "two.py"
        script.write_text(TWO)
        self.command = ("python", str(script))

    def beside(self, *_arguments):
        return ran(self.recompiles, outputs=self.outputs)


def ran(recompiles: int, *candidates: Candidate, outputs: str = "agree"):
    trial = Trial(1, (), Measures(recompiles=recompiles), "better", outputs=outputs)
    return SimpleNamespace(
        trial=trial,
        candidates=candidates,
        session=SimpleNamespace(callables=(), environment=SimpleNamespace(torch="2.13.0")),
        notes=SimpleNamespace(places={}),
    )


def test_one_change_for_several_causes_is_told_once(tmp_path):
    both = (DYNAMIC, Candidate(DYNAMIC.id, DYNAMIC.text, DYNAMIC.entries, cause="other"))
    found = patch(Bench(tmp_path, 0), ran(0, *both), apply=False)
    (line,) = found.paste
    assert "dynamic=True) of f" in line


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (0, "Verified: a run of the changed source has 0 recompiles and the same outputs"),
        (
            1,
            (
                "Verified in part: a run of the changed source has 1 recompile, the best trial 0, "
                "and the same outputs"
            ),
        ),
    ],
)
def test_a_patch_that_leaves_more_than_the_trial_is_verified_in_part(tmp_path, left, said):
    found = patch(Bench(tmp_path, left), ran(0, SETTING, DYNAMIC), apply=False)
    assert found.paste
    assert found.why == said


def test_outputs_that_were_not_compared_are_not_passed_over(tmp_path):
    found = patch(Bench(tmp_path, 1, "random"), ran(1, SETTING), apply=False)
    assert found.why.endswith("has 1 recompile; its outputs could not be compared")


def test_a_value_across_a_break_is_left_to_the_user_in_words():
    cause = SimpleNamespace(id="a", source="___stack0", kind="tensor.size", remedies=(
        SimpleNamespace(id="remove_break", text="Or remove the graph break", unsafe=False),
    ))  # fmt: skip
    base = SimpleNamespace(
        trial=SimpleNamespace(left=("a",)), diagnosis=SimpleNamespace(causes=(cause,))
    )
    (line,) = left_to_the_user(base, None, [])
    assert line.startswith("left to you, for a value that crosses a graph break: Remove")


def test_a_setting_brings_its_module_where_torch_alone_does_not():
    assert setting("shapes.use_duck_shape", False, (2, 13)) == [
        "torch.fx.experimental._config.use_duck_shape = False"
    ]
    assert setting("shapes.use_duck_shape", False, (2, 6)) == [
        "import torch.fx.experimental._config",
        "torch.fx.experimental._config.use_duck_shape = False",
    ]


def test_an_argument_of_a_wrapper_has_the_name_that_the_call_gives():
    assert as_called("kwargs['input_ids'].x") == "input_ids.x"
    assert as_called("x['k']") == "x['k']"


def test_a_call_is_found_again_after_an_argument_of_it_was_wrapped(tmp_path):
    path = tmp_path / "m.py"
    path.write_text("import torch\n\ny = run(x, floor)\nz = run(x, 2)\n")
    sources = Sources(None, path)
    sources.edit(path, lambda text: text.replace("(x, floor)", "(x, torch.tensor(floor))"))
    assert sources.moved(path, 3) == 3
    sources.edit(path, lambda text: text.replace("y = run", "mark(x)\ny = run"))
    assert (sources.moved(path, 3), sources.moved(path, 4)) == (4, 5)
    sources.edit(path, lambda text: text.replace("y = run(x, torch.tensor(floor))", "pass"))
    with pytest.raises(CannotEditError, match="changed by another edit"):
        sources.moved(path, 3)
