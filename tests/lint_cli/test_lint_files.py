"""Which files are linted, and files that are odd."""

from __future__ import annotations

import json
import os

import pytest

BAD = "def forward(x):\n    print(x)\n"


@pytest.fixture
def tree(project):
    for name in (
        "a.py",
        "pkg/b.py",
        "pkg/sub/c.py",
        "pkg/c.txt",
        "build/d.py",
        ".venv/e.py",
        "site-packages/f.py",
        "pkg/__pycache__/g.py",
        "h.pyi",
    ):
        project.write(name, BAD)
    return project


def found(outcome):
    return sorted({line.partition(":")[0] for line in outcome.lines() if ".py:" in line})


def shown(tree, outcome):
    return sorted(os.path.relpath(line, tree.path) for line in outcome.lines())


def test_folders_are_walked(tree, lint):
    assert shown(tree, lint("--show-files")) == ["a.py", "build/d.py", "pkg/b.py", "pkg/sub/c.py"]


def test_a_named_file_is_linted_whatever_it_is_called(tree, lint):
    assert shown(tree, lint("--show-files", "pkg/c.txt", ".venv/e.py", "h.pyi")) == [
        ".venv/e.py",
        "h.pyi",
        "pkg/c.txt",
    ]


def test_a_named_folder_below_an_excluded_one_is_linted(tree, lint):
    assert shown(tree, lint("--show-files", "site-packages")) == ["site-packages/f.py"]


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (["--exclude", "pkg"], [".venv/e.py", "a.py", "build/d.py"]),
        (["--extend-exclude", "pkg"], ["a.py", "build/d.py"]),
        (["--extend-exclude", "pkg/sub/"], ["a.py", "build/d.py", "pkg/b.py"]),
        (["--extend-exclude", "pkg/**/c.py"], ["a.py", "build/d.py", "pkg/b.py"]),
        (["--extend-exclude", "pkg/*.py"], ["a.py", "build/d.py", "pkg/sub/c.py"]),
        (["--extend-exclude", "[ab].py,build"], ["pkg/sub/c.py"]),
        (["--extend-exclude", "sub/c.py"], ["a.py", "build/d.py", "pkg/b.py", "pkg/sub/c.py"]),
    ],
)
def test_exclusion(tree, lint, options, files):
    got = [f for f in shown(tree, lint("--show-files", *options)) if "site-p" not in f]
    assert [f for f in got if "__pycache__" not in f] == files


def test_force_exclude_leaves_out_named_files(tree, lint):
    options = ["--show-files", "--extend-exclude", "pkg"]
    assert shown(tree, lint(*options, "pkg/b.py")) == ["pkg/b.py"]
    assert lint(*options, "--force-exclude", "pkg/b.py", "pkg").out == ""


def test_gitignore_is_respected_as_git_reads_it(tree, lint):
    tree.write(".gitignore", "build/\n*.py\n!/a.py\n!pkg/\n")
    tree.write("pkg/.gitignore", "!b.py\n")
    assert shown(tree, lint("--show-files")) == ["a.py", "pkg/b.py"]
    assert shown(tree, lint("--show-files", "pkg/sub")) == []
    assert len(lint("--show-files", "--no-respect-gitignore").lines()) == 4
    assert shown(tree, lint("--show-files", "build/d.py")) == ["build/d.py"]


def test_a_named_folder_is_linted_though_it_is_ignored(tree, lint):
    tree.write(".gitignore", "build/\n")
    assert shown(tree, lint("--show-files", "build")) == ["build/d.py"]


def test_a_missing_path_is_a_mistake(project, lint):
    outcome = lint("nowhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: nowhere does not exist")


def test_a_broken_link_is_named_when_asked_for_and_passed_over_in_a_folder(project, lint):
    (project.path / "gone.py").symlink_to("missing.py")
    assert "error: gone.py is a broken link\ncause: its target missing.py" in lint("gone.py").err
    project.write("a.py", BAD)
    assert found(lint("--format", "concise")) == ["a.py"]


def test_links_are_linted_once_and_loops_end(project, lint):
    project.write("a.py", BAD)
    (project.path / "b.py").symlink_to("a.py")
    (project.path / "loop").symlink_to(".")
    assert found(lint("--format", "concise")) == ["a.py"]


def test_no_python_files(project, lint):
    outcome = lint()
    assert outcome.code == 0
    assert outcome.err == "warning: no Python files found\n"


def test_a_syntax_error_does_not_stop_the_rest(project, lint):
    project.write("a.py", "def f(:\n")
    project.write("b.py", BAD)
    outcome = lint("--format", "concise")
    assert outcome.code == 1
    assert found(outcome) == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"# coding: latin-1\ndef f(x):\n    print('\xe9', x)\n", "CS110"),
        (b"\xef\xbb\xbfdef f(x):\n    print(x)\n", "CS110"),
        (b"def f(x):\r\n    print(x)\r\n", "CS110"),
        (b"x = '\xe9'\n", "CS998"),
        (b"# coding: klingon\n", "CS998"),
        ("x = 1\n".encode("utf-16"), "CS998"),
    ],
)
def test_encodings(project, lint, data, code):
    project.write("a.py", data)
    outcome = lint("--format", "concise")
    assert outcome.code == 1
    assert f" {code} " in outcome.lines()[0]


def test_an_unreadable_file_is_a_finding(project, lint):
    path = project.write("a.py", BAD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "cannot be read" in lint("--format", "concise").out


def test_empty_and_odd_files(project, lint):
    project.write("empty.py", "")
    project.write("no_newline.py", "x = 1")
    project.write("form_feed.py", "x = 1\n\x0c\ny = 2\n")
    assert lint().code == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "is not a notebook"),
        (b"[]", "no list of cells"),
        (b'{"worksheets": []}', "no list of cells"),
    ],
)
def test_damaged_notebooks(project, lint, data, message):
    project.write("n.ipynb", data)
    outcome = lint("--format", "concise")
    assert outcome.code == 1
    assert message in outcome.out


def notebook(*cells, language="python"):
    listed = [{"cell_type": "code", "metadata": {}, "source": cell} for cell in cells]
    meta = {"language_info": {"name": language}}
    return json.dumps({"cells": listed, "metadata": meta, "nbformat": 4}, indent=1)


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\nprint(x)",
        "!pip install x | grep %\nprint(x)",
        "files = !ls\nprint(x)",
        "y = %timeit -o x\nprint(x)",
        "x?\nprint(x)",
        "?x\nprint(x)",
        "%%time\nprint(x)",
        "!a \\\n  b\nprint(x)",
        "y = (x\n     % 3); print(x)",
        "await f()\nprint(x)",
    ],
)
def test_magics_do_not_hide_the_code_beside_them(project, lint, cell):
    project.write("n.ipynb", notebook(cell))
    outcome = lint("--format", "json")
    assert [record["code"] for record in json.loads(outcome.out)] == ["CS110"]
    row = json.loads(outcome.out)[0]["location"]["row"]
    assert "print" in cell.splitlines()[row - 1]


@pytest.mark.parametrize("cell", ["%%bash\nprint(x)", "%%html\n<b>", "\n%%writefile a\nprint(x)"])
def test_cells_of_other_languages(project, lint, cell):
    project.write("n.ipynb", notebook(cell))
    assert lint().code == 0


def test_notebooks_of_other_languages(project, lint):
    project.write("n.ipynb", notebook("print(x)", language="julia"))
    assert lint().code == 0
