"""Corrections: what they keep, when they stop, and that nothing is ever broken."""

from __future__ import annotations

import json

import pytest

from compilescope.lint import registry

GUARDED = "    if not torch.compiler.is_compiling():\n"


FUTURE = "from __future__ import annotations\n\n"
CASES = {
    "import there": (
        "import torch\n\n\nDEF",
        "import torch\n\n\nDEF",
        "torch.compiler.is_compiling",
    ),
    "alias": ("import torch as th\nDEF", "import torch as th\nDEF", "th.compiler.is_compiling"),
    "from": (
        "from torch import compiler\nDEF",
        "from torch import compiler\nDEF",
        "compiler.is_compiling",
    ),
    "from, alias": (
        "from torch.compiler import is_compiling as ic\nDEF",
        "from torch.compiler import is_compiling as ic\nDEF",
        "ic",
    ),
    "docstring": (
        '"""Doc."""\n\nDEF',
        '"""Doc."""\n\nimport torch\n\nDEF',
        "torch.compiler.is_compiling",
    ),
    "comment": ("# c\n\nDEF", "# c\n\nimport torch\n\nDEF", "torch.compiler.is_compiling"),
    "imports of torch": (
        f"{FUTURE}import math\n\nfrom torch import nn\n\nDEF",
        f"{FUTURE}import math\n\nimport torch\nfrom torch import nn\n\nDEF",
        "torch.compiler.is_compiling",
    ),
    "imports of others": (
        "import math\nimport os\n\nDEF",
        "import math\nimport os\nimport torch\n\nDEF",
        "torch.compiler.is_compiling",
    ),
    "a future only": (
        "from __future__ import annotations\nDEF",
        "from __future__ import annotations\n\nimport torch\nDEF",
        "torch.compiler.is_compiling",
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("case", CASES)
def test_imports(project, lint, case, newline):
    before, after, name = (text.replace("\n", newline) for text in CASES[case])
    define = f"def f(x):{newline}"
    path = project.write("m.py", before.replace("DEF", f"{define}    print(x){newline}"))
    lint("--fix", "--ignore", "CS101")
    guard = f"    if not {name}():{newline}        print(x){newline}"
    assert path.read_bytes().decode() == after.replace("DEF", define + guard)


BODIES = [
    (
        "    # above\n    print(  x )  # beside\n\n",
        "    # above\nIF        print(  x )  # beside\n\n",
    ),
    (
        "    print(\n        x,  # one\n        # two\n    )\n",
        "IF        print(\n            x,  # one\n            # two\n        )\n",
    ),
    ("    print(x)\n    print(x)\n", "IF        print(x)\nIF        print(x)\n"),
    ("    print(x)", "IF        print(x)\n"),
    ("    for x in y:\n        print(x)\n", "    for x in y:\n    IF            print(x)\n"),
]


@pytest.mark.parametrize(("before", "after"), BODIES)
def test_safe_corrections_keep_the_rest(project, lint, before, after):
    head = "import torch\n\n\ndef f(x):\n"
    path = project.write("m.py", head + before)
    assert lint("--fix").code == 0
    assert path.read_text() == head + after.replace("IF", GUARDED)
    assert lint("--fix").out == "All checks passed!\n"
    assert path.read_text() == head + after.replace("IF", GUARDED)


def test_tabs(project, lint):
    path = project.write("m.py", "import torch\ndef f(x):\n\tprint(x)\n")
    lint("--fix")
    guard = "\tif not torch.compiler.is_compiling():\n\t\tprint(x)\n"
    assert path.read_text() == f"import torch\ndef f(x):\n{guard}"


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef f(x, torch):\n    print(x)\n",
        "import torch\ndef f(x):\n    if x: print(x)\n",
        "import torch\ndef f(x):\n    a = 1; print(x)\n",
        'import torch\ndef f(x):\n    print("""a\n    b""", x)\n',
        "import torch\ndef f(x):\n    torch = x\n    print(x)\n",
        "import torch\nf = lambda x: print(x)\n",
        "import torch\ndef f(x):\n    return print(x)\n",
        "import torch\ndef f(x):\n    y = [print(x)]\n",
    ],
)
def test_what_cannot_be_shown_to_be_right_is_left_alone(project, lint, source):
    path = project.write("m.py", source)
    assert lint("--fix", "--ignore", "CS101,CS120").code == 1
    assert path.read_text() == source


def test_unsafe_corrections_are_made_only_when_asked_for(project, lint):
    path = project.write("m.py", "def f(x):\n    return x.sum().item()\n")
    outcome = lint("--fix")
    assert outcome.code == 1
    assert "No safe fixes; 1 with `--fix --unsafe-fixes`." in outcome.out
    assert lint("--fix", "--unsafe-fixes").code == 0
    assert path.read_text() == "def f(x):\n    return x.sum()\n"


def test_overlapping_corrections_are_made_one_after_the_other(project, lint):
    path = project.write("m.py", "import torch\ndef f(x):\n    print(x.item())\n")
    outcome = lint("--fix", "--unsafe-fixes", "--ignore", "CS101")
    assert outcome.code == 0
    assert "Fixed 2 findings." in outcome.out
    assert path.read_text() == f"import torch\ndef f(x):\n{GUARDED}        print(x)\n"


def test_diff_changes_nothing(project, lint):
    text = "import torch\ndef f(x):\n    print(x)\n"
    path = project.write("m.py", text)
    outcome = lint("--diff")
    assert outcome.code == 1
    assert path.read_text() == text
    assert outcome.out == (
        "--- m.py\n+++ m.py\n@@ -1,3 +1,4 @@\n import torch\n def f(x):\n-    print(x)\n"
        f"+{GUARDED}+        print(x)\n"
    )
    assert outcome.err == "Would fix 1 finding.\n"
    assert lint("--diff", "--ignore", "CS110").code == 0


def test_exit_non_zero_on_fix(project, lint):
    project.write("m.py", "def f(x):\n    print(x)\n")
    assert lint("--fix", "--exit-non-zero-on-fix", "--ignore", "CS101").code == 1
    assert lint("--fix", "--exit-non-zero-on-fix", "--ignore", "CS101").code == 0


def test_stdin_gives_the_corrected_program_on_stdout(project, lint):
    source = b"import torch\r\ndef f(x):\r\n    print(x)\r\n"
    outcome = lint("--fix", "--stdin-filename", "m.py", "-", stdin=source)
    assert (
        outcome.out
        == "import torch\r\ndef f(x):\r\n" + GUARDED.replace("\n", "\r\n") + "        print(x)\r\n"
    )
    assert "Fixed 1 finding." in outcome.err


@pytest.mark.parametrize("source", ["x = (\n", "", "x = 1"])
def test_stdin_that_cannot_be_corrected_comes_back_as_it_was(project, lint, source):
    assert lint("--fix", "-", stdin=source.encode()).out == source


def test_stdin_that_cannot_be_read_comes_back_as_it_was(project):
    import subprocess
    import sys

    command = [sys.executable, "-m", "compilescope", "lint", "--fix", "-"]
    done = subprocess.run(command, input=b"x = '\xff'\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"x = '\xff'\n")


@pytest.fixture
def item_fix(engine, monkeypatch):
    """Replaces what the rule about `.item()` does."""

    def use(fix):
        rule = type(registry.rules()["CS120"])
        monkeypatch.setattr(rule, "fix", lambda _, correction: fix(correction))

    return use


SOURCE = "def f(x):\n    return x.item()\n"
FIX = ("--fix", "--unsafe-fixes")


def test_a_correction_that_does_not_help_is_undone(project, lint, item_fix):
    item_fix(lambda c: c.replace(c.node, f"{c.text(c.node)}.real"))
    path = project.write("m.py", SOURCE)
    outcome = lint(*FIX)
    assert outcome.code == 1
    assert path.read_text() == SOURCE
    assert "warning: m.py: the fix of CS120 did not help and was not made" in outcome.err


def test_a_correction_that_does_not_parse_is_not_made_and_others_are(project, lint, item_fix):
    item_fix(lambda c: c.replace(c.node, "x +"))
    path = project.write("m.py", f"import torch\nprint(1)\n{SOURCE}")
    lint(*FIX)
    expected = f"import torch\n{GUARDED[4:]}    print(1)\n{SOURCE}"
    assert path.read_text() == expected


def test_a_rule_may_decline(project, lint, item_fix):
    item_fix(lambda c: c.decline("not here"))
    path = project.write("m.py", SOURCE)
    outcome = lint(*FIX)
    assert outcome.code == 1
    assert path.read_text() == SOURCE
    assert "[*]" not in outcome.out
    assert "fixable" not in outcome.out


def test_a_correction_that_brings_another_finding_ends(project, lint, item_fix):
    item_fix(lambda c: c.replace(c.node, "print(x)"))
    project.write("m.py", "def f(x):\n    y = 1; return x.item()\n")
    assert "CS110" in lint(*FIX, "--format", "concise").out


def test_the_mode_of_a_file_and_links_are_kept(project, lint):
    path = project.write("real/m.py", "def f(x):\n    print(x)\n")
    path.chmod(0o755)
    link = project.path / "m.py"
    link.symlink_to("real/m.py")
    lint("--fix", "m.py")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o755
    assert "is_compiling" in path.read_text()
    assert [p.name for p in path.parent.iterdir()] == ["m.py"]


def test_the_encoding_of_a_file_is_kept(project, lint):
    head = b"# coding: latin-1\nimport torch\ndef f(x):\n"
    path = project.write("m.py", head + b"    print('\xe9', x)\n")
    lint("--fix")
    assert path.read_bytes() == head + GUARDED.encode() + b"        print('\xe9', x)\n"
    bom = project.write("b.py", b"\xef\xbb\xbfimport torch\nprint(1)\n")
    lint("--fix", "b.py")
    assert bom.read_bytes().startswith(b"\xef\xbb\xbfimport torch\nif not")


def test_notebooks_are_corrected_cell_by_cell(project, lint):
    cells = [
        {"cell_type": "markdown", "source": ["é"]},
        {"cell_type": "code", "outputs": [], "source": ["%load_ext x\n", "import torch"]},
        {
            "cell_type": "code",
            "outputs": [],
            "source": ["def f(x):\n", "    !ls\n", "    print(x)"],
        },
    ]
    path = project.write(
        "n.ipynb", json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"
    )
    lint("--fix", "--ignore", "CS101")
    cells[2]["source"] = ["def f(x):\n", "    !ls\n", GUARDED, "        print(x)"]
    expected = json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"
    assert path.read_text(encoding="utf-8") == expected


def test_nothing_is_imported_for_fixes_unless_one_is_made(compilescope, project):
    import subprocess
    import sys

    project.write("m.py", "import torch\n\n@torch.compile\ndef f(x):\n    print(x)\n")
    program = (
        "import sys; sys.argv = ['compilescope', 'lint', 'm.py']\n"
        "from compilescope.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([n for n in ('libcst', 'torch', 'textual', 'rich', 'jinja2') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("[]\n"), done
