"""`compilescope rules`, `explain`, `init`, and the hooks for pre-commit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]


class TestRules:
    """The list of rules."""

    def test_golden(self, project, engine, compilescope, golden):
        golden("rules.txt", compilescope("rules").out)
        golden("rules.md", compilescope("rules", "--format", "markdown").out)

    def test_json(self, project, engine, compilescope):
        records = json.loads(compilescope("rules", "--format", "json", "CS11", "tensor-item").out)
        assert [record["code"] for record in records] == ["CS110", "CS120"]
        assert records[0]["fix"] == "safe"
        assert records[0]["gb_ids"] == ["GB0059"]

    def test_unknown(self, project, engine, compilescope):
        outcome = compilescope("rules", "CS105")
        assert outcome.code == 2
        assert "did you mean `CS101`?" in outcome.err

    @pytest.mark.parametrize("form", ["text", "json", "markdown"])
    def test_a_code_that_no_rule_has(self, project, engine, compilescope, form):
        outcome = compilescope("rules", "CS999", "--format", form)
        assert (outcome.code, outcome.out) == (2, "")
        assert "hint: `compilescope explain CS999` tells more" in outcome.err


class TestExplain:
    """One rule."""

    def test_golden(self, project, engine, compilescope, golden):
        golden("explain.txt", compilescope("explain", "CS110").out)

    @pytest.mark.parametrize("name", ["CS110", "cs110", "print-call", "GB0059", "0059", "gb0059"])
    def test_what_it_accepts(self, project, engine, compilescope, name):
        assert compilescope("explain", name).out.startswith("CS110 print-call\n")

    def test_own_codes(self, project, engine, compilescope):
        assert compilescope("explain", "CS990").out.startswith("CS990 unused-suppression\n")

    @pytest.mark.parametrize(
        ("name", "said"),
        [("CS111", "did you mean `CS110`?"), ("print-cal", "`print-call`"), ("GB9999", "no rule")],
    )
    def test_unknown(self, project, engine, compilescope, name, said):
        outcome = compilescope("explain", name)
        assert (outcome.code, outcome.out) == (2, "")
        assert said in outcome.err

    def test_every_installed_rule_can_be_explained(self, project, compilescope):
        for record in json.loads(compilescope("rules", "--format", "json").out):
            outcome = compilescope("explain", record["code"])
            assert outcome.code == 0
            assert record["name"] in outcome.out.splitlines()[0]


class TestInit:
    """A configuration."""

    def read(self, path):
        return tomllib.loads(path.read_text(encoding="utf-8"))

    def test_nothing_there(self, project, compilescope):
        outcome = compilescope("init", "--yes")
        assert outcome.code == 0
        assert "+++ compilescope.toml" in outcome.out
        assert self.read(project.path / "compilescope.toml") == {}
        again = compilescope("init", "--yes")
        assert again.out == "Nothing to change: compilescope is configured here.\n"

    @pytest.mark.parametrize(
        ("ruff", "external"),
        [
            ("", None),
            ("[tool.ruff]\nline-length = 88\n", ["CS"]),
            ("[tool.ruff.lint]\nselect = ['ALL']\n", ["CS"]),
            ("[tool.ruff.lint]  # c\nexternal = []\n", ["CS"]),
            ("[tool.ruff.lint]\nexternal = ['V', 'X1']  # others\n", ["CS", "V", "X1"]),
            (
                "[tool.ruff.lint]\nexternal = [\n    'V',\n    # why\n    'X1',\n]\n",
                ["CS", "V", "X1"],
            ),
            ("[tool.ruff.lint]\nselect = []\n\n[tool.other]\nexternal = ['no']\n", ["CS"]),
            ("[tool.ruff.lint]\nexternal = ['CS']\n", ["CS"]),
        ],
    )
    def test_pyproject(self, project, compilescope, ruff, external):
        before = f"[project]\nname = 'x'  # keep\n\n{ruff}"
        path = project.write("pyproject.toml", before)
        assert compilescope("init", "--yes").code == 0
        content = self.read(path)
        assert content["tool"]["compilescope"] == {}
        found = content["tool"].get("ruff", {}).get("lint", {}).get("external")
        assert found == external
        kept = [line for line in before.splitlines() if line and "external" not in line]
        assert [line for line in path.read_text().splitlines() if line in kept] == kept
        assert not any(line != line.rstrip() for line in path.read_text().splitlines())
        assert "Nothing to change" in compilescope("init", "--yes").out

    @pytest.mark.parametrize("name", ["ruff.toml", ".ruff.toml"])
    def test_ruffs_own_file(self, project, compilescope, name):
        project.write("pyproject.toml", "[project]\nname = 'x'\n\n[tool.ruff]\n")
        path = project.write(name, "line-length = 100\n")
        compilescope("init", "--yes")
        assert self.read(path) == {"line-length": 100, "lint": {"external": ["CS"]}}
        assert "lint" not in self.read(project.path / "pyproject.toml")["tool"]["ruff"]

    def test_what_cannot_be_edited_is_said(self, project, compilescope):
        project.write("pyproject.toml", "[tool.ruff]\nlint.external = ['V']\n")
        assert 'add "CS" to `external`' in compilescope("init", "--yes").err

    def test_asking(self, project, compilescope):
        refused = compilescope("init", stdin=b"n\n")
        assert refused.code == 0
        assert not (project.path / "compilescope.toml").exists()
        assert compilescope("init", stdin=b"y\n").code == 0
        assert (project.path / "compilescope.toml").exists()

    def test_nobody_answers(self, project, compilescope):
        outcome = compilescope("init", stdin=b"")
        assert outcome.code != 0
        assert not (project.path / "compilescope.toml").exists()

    def test_a_file_that_is_not_toml(self, project, compilescope):
        project.write("pyproject.toml", "[")
        outcome = compilescope("init", "--yes")
        assert outcome.code == 2
        assert "is not valid TOML" in outcome.err

    def test_ruff_then_keeps_the_suppressions(self, project, lint, compilescope):
        project.write("pyproject.toml", "[tool.ruff.lint]\nselect = ['RUF']\n")
        path = project.write("m.py", "print(1)  # noqa: CS110\n")
        compilescope("init", "--yes")
        ruff = [sys.executable, "-m", "ruff", "check", "--fix", "--no-cache", "m.py"]
        if subprocess.run([*ruff[:3], "--version"], capture_output=True, check=False).returncode:
            pytest.skip("ruff is not installed")
        subprocess.run(ruff, capture_output=True, check=False)
        assert path.read_text() == "print(1)  # noqa: CS110\n"


def test_the_hooks_name_options_that_exist(project, engine, compilescope):
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = [line.split(":", 1)[1].split() for line in text.splitlines() if " entry:" in line]
    assert len(entries) == 2
    project.write("m.py", "x = 1\n")
    for _, *arguments in entries:
        assert compilescope(*arguments, "m.py").code == 0
