"""The table of rules: a run that finds its answer in the cache imports none of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from compilescope.lint import registry, rule_table

PROGRAM = """
import json, sys
from compilescope import cli
sys.argv = ["compilescope", "lint", "m.py"]
try:
    cli.main()
except SystemExit:
    pass
print(json.dumps([name for name in sys.modules if name.startswith("compilescope.rules.")]))
"""


def test_a_cached_run_imports_no_rule(tmp_path):
    (tmp_path / "m.py").write_text(
        "import torch\n@torch.compile\ndef f(x):\n    torch.manual_seed(0)\n    return x\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home")}
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        said.append(done.stdout.splitlines())
    assert len(json.loads(said[0][-1])) > 60
    assert said[0][:-1] == said[1][:-1]
    assert any("CS152" in line for line in said[0])
    assert json.loads(said[1][-1]) == []


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """`kept(rules)`: the table, and how often the rules were asked for."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []

    def make():
        rule_table.table.cache_clear()

        def rules():
            asked.append(1)
            return [registry.described(rule) for rule in registry.rules().values()]

        return rule_table.table(list, rules), len(asked)

    yield make
    rule_table.table.cache_clear()


def test_the_table_is_made_once(kept):
    first, one = kept()
    second, two = kept()
    assert (first, one, two) == (second, 1, 1)
    assert {rule.code for rule in first.rules} == set(registry.rules())


def test_damage_and_change_are_misses(kept, tmp_path, monkeypatch):
    kept()
    (place,) = (tmp_path / "compilescope").glob("rules-*.msgpack")
    for number, data in enumerate((b"", b"\x93", b"\x00" * 40), 2):
        place.write_bytes(data)
        assert kept()[1] == number
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    assert kept()[1] == 5
    assert kept()[1] == 5
    (folder / "new.dist-info").mkdir()
    os.utime(folder, ns=(1, 1))
    assert kept()[1] == 6


def test_a_place_that_cannot_be_written_is_no_error(kept, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept()[1] == 1
    assert kept()[1] == 2
