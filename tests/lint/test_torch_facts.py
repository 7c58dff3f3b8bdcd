"""The generated table of what Dynamo cannot trace: the rules follow it, and it follows torch."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest

from compilescope.lint import torch_facts
from compilescope.lint.engine import lint_source, load_rules
from compilescope.lint.rule import holds

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "torch_facts.py"
RULES = load_rules()
WATCHED = {key.partition(":")[2] for rule in RULES for key in rule.facts if key.startswith("call:")}


def test_a_rule_looks_at_each_function_that_is_not_traced():
    assert set(torch_facts.SKIPPED) - WATCHED == set()


def test_graph_breaks_of_the_rules_are_registered():
    named = {(gb, rule.code) for rule in RULES for gb in rule.gb_ids}
    assert {(gb, code) for gb, code in named if gb not in torch_facts.BREAKS} == set()


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("y = torch.linalg.lstsq(x, x)", {"CS140"}),
        ("y = torch.unique_consecutive(x)", {"CS140"}),
        ("y = torch.linalg.solve(x, x)", set()),
        ("y = pandas.DataFrame({'a': [1]})", {"CS130"}),
        ("y = networkx.Graph()", {"CS130"}),
        ("y = einops.rearrange(x, 'a b -> b a')", set()),
    ],
)
def test_what_follows_from_the_table(line, codes):
    source = "import einops, networkx, pandas, torch\n@torch.compile\ndef f(x: torch.Tensor):\n"
    found = lint_source(f"{source}    {line}\n    return x\n", "m.py", follow=False)
    assert {finding.code for finding in found} == codes


def test_a_function_skipped_from_a_release_on():
    source = "import torch\n@torch.compile\ndef f(x):\n    torch.xpu.manual_seed(0)\n    return x\n"
    assert lint_source(source, "m.py", target_torch=(2, 13)) == []
    assert [f.code for f in lint_source(source, "m.py", target_torch=(2, 14))] == ["CS152"]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_table_says_what_the_installed_torch_says():
    found = importlib.util.find_spec("torch")
    assert found is not None
    script = runpy.run_path(str(SCRIPT))
    release = script["release"](Path(found.origin).parents[1])
    if release.version not in torch_facts.RELEASES:
        pytest.skip(f"the table does not have torch {release.version}")
    for table, names in (
        (torch_facts.DYNAMIC_OUTPUT, release.dynamic_output),
        (torch_facts.DATA_OUTPUT, release.data_output),
        (torch_facts.SKIPPED, release.skipped),
        (torch_facts.SKIPPED_MODULES, release.modules),
        (torch_facts.BREAKS, set(release.breaks)),
    ):
        target = (release.version, release.version)
        assert {name for name, versions in table.items() if holds(versions, target)} == names


@pytest.mark.parametrize(
    ("line", "until"),  # the last release that was seen to break there
    [
        ("y = locals()", (2, 11)),
        ("y = hash('a')", (2, 12)),
        ("y = importlib.util.find_spec('a')", (2, 12)),
        ("y = x.quantile(0.5)", (2, 11)),
        ("y = copy.deepcopy({'a': 1})", (2, 11)),
        ("y = m.to(x.device)", (2, 11)),
        ("y = m.state_dict()", (2, 12)),
    ],
)
def test_what_older_releases_did_not_trace(line, until):
    source = "import copy, importlib.util, torch\nm = torch.nn.Linear(3, 3)\n"
    source += f"@torch.compile\ndef f(x):\n    {line}\n    return x\n"
    for version in torch_facts.RELEASES[:3]:
        found = lint_source(source, "m.py", target_torch=version, follow=False)
        assert bool(found) == (version <= until), version
