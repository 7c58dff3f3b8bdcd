"""What each format prints, and that machines can read theirs."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from compilescope import __version__
from compilescope.lint.formats import NAMES

MODEL = '''\
import math

from torch import nn


class Net(nn.Module):
    def forward(self, x, größe, scale=1.0):
        """Unicode before the column, a tab, a long line, a finding over several lines."""
        if größe.sum() > 0:
            print("groß", größe.item())
\tself.steps += 1
        return x * scale
'''.replace("\tself", "        self")

LONG = """\
def forward(x):
\tprint(x,
\t    "a second line",
\t    x.mean())
    # the next line is longer than any terminal
    return x + 1.0 + 2.0 + 3.0 + 4.0 + 5.0 + 6.0 + 7.0 + 8.0 + 9.0 + 10.0 + 11.0 + x.item() + 12.0
""".replace("\tprint", "    print").replace("\t    ", "\t\t")

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# print"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch"]},
        {"cell_type": "code", "source": "def forward(x):\n    print(x)\n    !ls\n    return x"},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def sample(project):
    project.write("model.py", MODEL)
    project.write("pkg/long, name.py", LONG)
    project.write("nb.ipynb", json.dumps(NOTEBOOK, indent=1))
    project.write("bad.py", "def f(:\n    pass\n")
    project.write("latin.py", b"x = '\xe9'\n")
    project.write("stale.py", "x = 1  # noqa: CS110\n")
    return project


@pytest.mark.parametrize("name", NAMES)
def test_golden(name, sample, lint, golden, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    outcome = lint("--format", name, ".", "--isolated")
    text = outcome.out.replace(str(sample.path), "/project")
    text = text.replace(f'"version": "{__version__}"', '"version": "VERSION"')
    assert outcome.code == 1
    golden(f"{name}.txt", f"{text}--- stderr\n{outcome.err}--- exit code {outcome.code}\n")


def test_golden_in_colour(sample, lint, golden, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    outcome = lint("model.py", "--color", "always")
    golden("full-colour.txt", outcome.out)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_found(name, project, lint):
    project.write("clean.py", "x = 1\n")
    outcome = lint("--format", name)
    assert outcome.code == 0
    if name in ("full", "concise", "grouped"):
        assert outcome.out == "All checks passed!\n"
    elif name in ("json", "gitlab"):
        assert json.loads(outcome.out) == []
    elif name == "sarif":
        assert json.loads(outcome.out)["runs"][0]["results"] == []
    elif name == "junit":
        assert ET.fromstring(outcome.out).get("failures") == "0"
    else:
        assert outcome.out == ""


def test_json_has_the_field_names_of_ruff(sample, lint):
    records = json.loads(lint("--format", "json", "model.py").out)
    first = records[0]
    theirs = "cell code end_location filename fix location message name noqa_row severity url"
    assert set(theirs.split()) <= set(first)
    assert first["location"] == {"row": 9, "column": 12}
    assert first["filename"] == str(sample.path / "model.py")
    assert {"severity", "certainty"} <= set(first)


def test_columns_count_characters(sample, lint):
    records = json.loads(lint("--format", "json", "model.py").out)
    item = next(record for record in records if record["code"] == "CS120")
    line = MODEL.splitlines()[item["location"]["row"] - 1]
    start, end = item["location"]["column"] - 1, item["end_location"]["column"] - 1
    assert line[start:end] == "größe.item()"


def test_json_edits_can_be_applied_by_an_editor(sample, lint):
    records = json.loads(lint("--format", "json", "model.py").out)
    print_call = next(record for record in records if record["code"] == "CS110")
    assert print_call["fix"]["applicability"] == "safe"
    rows = [edit["location"]["row"] for edit in print_call["fix"]["edits"]]
    assert rows == [3, 10]  # the import, then the guard
    assert print_call["fix"]["edits"][0]["content"] == "import torch\n"


def test_json_lines_are_the_same_records(sample, lint):
    array = json.loads(lint("--format", "json").out)
    lines = [json.loads(line) for line in lint("--format", "json-lines").lines()]
    assert lines == array


def test_a_cell_of_a_notebook_is_named(sample, lint):
    record = json.loads(lint("--format", "json", "nb.ipynb").out)[0]
    assert (record["cell"], record["location"]["row"]) == (3, 2)
    assert "nb.ipynb:cell 3:2:5" in lint("nb.ipynb").out


def test_github_escapes_what_would_end_a_property(sample, lint):
    lines = lint("--format", "github").lines()
    assert any("file=pkg/long%2C name.py" in line for line in lines)
    assert all(line.startswith("::") for line in lines)


def test_gitlab_fingerprints_outlast_new_lines_above(sample, lint):
    before = {issue["fingerprint"] for issue in json.loads(lint("--format", "gitlab").out)}
    path = sample.path / "model.py"
    path.write_text("# a new line\n" + path.read_text())
    after = {issue["fingerprint"] for issue in json.loads(lint("--format", "gitlab").out)}
    assert after == before
    assert len(before) == len(json.loads(lint("--format", "gitlab").out))


def test_sarif_points_at_rules_that_it_describes(sample, lint):
    run = json.loads(lint("--format", "sarif").out)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert any("fixes" in result for result in run["results"])


def test_junit_is_xml_whatever_the_message_holds(project, lint):
    project.write("a<b>&.py", "print('\\x00')\n")
    tree = ET.fromstring(lint("--format", "junit").out)
    assert tree.get("failures") == "1"


def test_no_line_is_wider_than_the_terminal(sample, lint, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in lint("pkg").lines() if len(line) > 80] == []


def test_statistics(sample, lint):
    assert lint("--statistics", "model.py", "nb.ipynb").lines()[0] == "2  CS110  [*] print-call"
    rows = json.loads(lint("--statistics", "--format", "json", "model.py").out)
    assert {row["code"]: row["count"] for row in rows} == {
        "CS101": 1,
        "CS110": 1,
        "CS120": 1,
        "CS201": 1,
    }


def test_output_file(sample, lint):
    outcome = lint("--format", "json", "-o", "out.json", "model.py")
    assert outcome.out == ""
    assert len(json.loads((sample.path / "out.json").read_text())) == 4
