"""Comments that silence findings, those that silence nothing, and writing them."""

from __future__ import annotations

import pytest

HEAD = "def forward(x):\n"


def codes(outcome):
    return [line.split(": ")[1].split()[0] for line in outcome.lines() if line.startswith("m.py:")]


@pytest.mark.parametrize(
    "line",
    [
        "print(x)  # noqa",
        "print(x)  # NOQA: cs110",
        "print(x)  # noqa:CS110",
        "print(x)  # noqa: E501, CS110 the reason",
        "print(x)  # type: ignore # noqa: CS110",
        "print(x)  # compilescope: ignore",
        "print(x)  # compilescope: ignore[CS110]",
        "print(x)  # compilescope: ignore[CS101, CS110] the reason",
        "# compilescope: ignore[CS110] the reason\n    print(x)",
        "print(\n        x,\n    )  # noqa: CS110",
        "print(  # noqa: CS110\n        x,\n    )",
    ],
)
def test_silenced_on_its_line(project, lint, line):
    project.write("m.py", f"{HEAD}    {line}\n")
    found = codes(lint("--format", "concise", "--ignore", "CS990"))
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "print(x)  # noqa: CS101",
        "print(x)  # noqa: CS1",
        'print("# noqa")',
        "print(\n        x,  # noqa: CS110\n    )",
        "x = 1  # noqa: CS110\n    print(x)",
        "# noqa: CS110\n    print(x)",
        "# compilescope: ignore[CS110]\n    x = 1\n    print(x)",
    ],
)
def test_not_silenced(project, lint, line):
    project.write("m.py", f"{HEAD}    {line}\n")
    assert codes(lint("--format", "concise", "--ignore", "CS990")) == ["CS110"]


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("# compilescope: ignore-file", []),
        ("# compilescope: ignore-file[CS110]", ["CS120"]),
        ("# compilescope: noqa", []),
        ("# compilescope: noqa: CS120", ["CS110"]),
        ("# flake8: noqa", []),
        ("# ruff: noqa", ["CS110", "CS120"]),
        ("# flake8: noqa: CS110", ["CS110", "CS120"]),
    ],
)
def test_whole_file(project, lint, comment, left):
    project.write("m.py", f"{HEAD}    print(x.item())\n{comment}\n")
    assert codes(lint("--format", "concise", "--ignore", "CS990")) == left


def test_syntax_errors_cannot_be_silenced(project, lint):
    project.write("m.py", "# compilescope: ignore-file\nx = = 1  # noqa\n")
    assert codes(lint("--format", "concise")) == ["CS999"]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("x = 1  # noqa: CS110", "x = 1"),
        ("x = 1  # noqa: CS110 the reason", "x = 1  # the reason"),
        ("x = 1  # noqa: E501, CS110", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: CS110  # type: ignore", "x = 1  # type: ignore"),
        ("x = 1  # compilescope: ignore[CS110] why", "x = 1"),
        ("x = 1  # compilescope: ignore", "x = 1"),
        (
            "print(x)  # compilescope: ignore[CS110, CS101] why",
            "print(x)  # compilescope: ignore[CS110] why",
        ),
        ("print(x)  # noqa: CS110,CS777", "print(x)  # noqa: CS110"),
        ("# compilescope: ignore[CS110]\n    x = 1", "x = 1"),
    ],
)
def test_idle_suppressions_are_reported_and_removed(project, lint, line, after):
    path = project.write("m.py", f"{HEAD}    {line}\n")
    assert codes(lint("--format", "concise")) == ["CS990"]
    outcome = lint("--fix", "--format", "concise")
    assert outcome.lines()[0] == "Fixed 1 finding."
    assert path.read_text().strip() == f"{HEAD}    {after}\n".strip()
    assert lint().code == 0


@pytest.mark.parametrize(
    "line", ["x = 1  # noqa", "x = 1  # noqa: E501, F401", "x = 1  # noqa: ABC1"]
)
def test_suppressions_of_others_are_left_alone(project, lint, line):
    project.write("m.py", f"{line}\n")
    assert lint().code == 0


def test_a_rule_that_is_off_makes_no_suppression_idle(project, lint):
    project.write("m.py", "x = 1  # noqa: CS110\n")
    assert lint("--select", "CS101,CS990").code == 0
    assert lint("--ignore", "CS110").code == 0
    assert lint("--per-file-ignores", "m.py:CS110").code == 0
    assert lint().code == 1


@pytest.mark.parametrize(
    ("option", "comment"),
    [
        ("--add-noqa", "# noqa: CS110, CS120"),
        ("--add-ignore", "# compilescope: ignore[CS110, CS120]"),
    ],
)
def test_add_suppressions(project, lint, option, comment):
    path = project.write("m.py", f"{HEAD}    print(x.item())  # why\n")
    outcome = lint(option)
    assert outcome.code == 0
    assert "Added 1 suppression." in outcome.err
    assert path.read_text() == f"{HEAD}    print(x.item())  # why  {comment}\n"
    assert lint().code == 0
    assert lint(option).err.startswith("Added 0 suppressions.")


def test_add_noqa_extends_a_comment_that_is_there(project, lint):
    path = project.write("m.py", f"{HEAD}    print(x)  # noqa: E501\n")
    lint("--add-noqa")
    assert path.read_text() == f"{HEAD}    print(x)  # noqa: E501, CS110\n"


def test_add_noqa_says_that_ruff_deletes_them(project, lint):
    project.write("m.py", f"{HEAD}    print(x)\n")
    assert "lint.external" in lint("--add-noqa").err


@pytest.mark.parametrize(
    "statement",
    ['print("""a\n    b""")', "print(x, \\\n        x)", 'y = f(x, """\n""", print(x))'],
)
def test_add_noqa_where_the_line_cannot_hold_a_comment(project, lint, statement):
    path = project.write("m.py", f"{HEAD}    {statement}\n")
    lint("--add-noqa")
    compile(path.read_text(), "m.py", "exec")
    assert lint().code == 0


def test_add_noqa_in_a_notebook(project, lint):
    cell = '{"cell_type": "code", "source": ["x = 1\\n", "print(x)"]}'
    path = project.write("n.ipynb", f'{{"cells": [{cell}], "nbformat": 4}}')
    lint("--add-noqa")
    assert '"print(x)  # noqa: CS110"' in path.read_text()
    assert lint().code == 0
