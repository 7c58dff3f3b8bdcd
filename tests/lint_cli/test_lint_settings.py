"""Selection, configuration and everything that a user can get wrong in them."""

from __future__ import annotations

import pytest

from compilescope.errors import UsageError
from compilescope.lint.settings import Layer, selected
from compilescope.lint.target import target_versions
from compilescope.lint.versions import NEWEST

BAD = "def forward(x):\n    if x:\n        print(x.item())\n    x.n += 1\n"
KNOWN = {"CS101": "branch", "CS110": "print-call", "CS120": "item", "CS201": "counter"}


def codes(outcome):
    return sorted(line.split(": ")[1].split()[0] for line in outcome.lines() if ".py:" in line)


@pytest.mark.parametrize(
    ("layers", "on"),
    [
        ([], "101 110 120 201"),
        ([Layer(["CS1"])], "101 110 120"),
        ([Layer(["ALL"])], "101 110 120 201"),
        ([Layer(["cs11"])], "110"),
        ([Layer(["print-call"])], "110"),
        ([Layer(None, ["CS1"])], "201"),
        ([Layer(["CS1"], ["CS11"])], "101 120"),
        ([Layer(["CS110"], ["CS1"])], "110"),
        ([Layer(["CS1"], ["CS1"], ["CS120"])], "120"),
        ([Layer(["CS2"], (), ["CS120"])], "120 201"),
        ([Layer(["CS1"], ["CS110"]), Layer(None, ["CS101"])], "120"),
        ([Layer(["CS1"], ["CS110"]), Layer(["CS110"])], "110"),
        ([Layer(["CS1"], ["CS110"]), Layer(None, (), ["CS110"])], "101 110 120"),
    ],
)
def test_selection(layers, on):
    assert selected(layers, KNOWN, KNOWN) == {f"CS{number}" for number in on.split()}


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("CS102", "CS101"),
        ("print-cal", "print-call"),
        ("E501", "compilescope rules"),
        ("", "rules"),
    ],
)
def test_unknown_selectors_name_the_nearest(selector, hint):
    with pytest.raises(UsageError) as error:
        selected([Layer([selector])], KNOWN, KNOWN)
    assert hint in error.value.hint


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("2.11", ((2, 11), (2, 11))),
        ("2.11.1", ((2, 11), (2, 11))),
        ("2.13.0+cpu", ((2, 13), (2, 13))),
        ("2.14.0a0+git1234", ((2, 14), (2, 14))),
        ("2.11..2.13", ((2, 11), (2, 13))),
        (">=2.12", ((2, 12), NEWEST)),
        (">=2.11,<=2.13", ((2, 11), (2, 13))),
        ("1.9", ((2, 6), (2, 6))),
    ],
)
def test_target(text, versions):
    assert target_versions(text) == versions


@pytest.mark.parametrize("text", ["2", "two", "2.13..2.11", "2.13 or so", "2.11-2.13"])
def test_a_target_that_is_no_version(text):
    with pytest.raises(UsageError):
        target_versions(text)


def test_command_line_over_configuration(project, lint):
    project.write("m.py", BAD)
    project.write("pyproject.toml", '[tool.compilescope]\nselect = ["CS1"]\nignore = ["CS110"]\n')
    concise = ["--format", "concise"]
    assert codes(lint(*concise)) == ["CS101", "CS120"]
    assert codes(lint(*concise, "--ignore", "CS101")) == ["CS120"]
    assert codes(lint(*concise, "--select", "CS2,CS110")) == ["CS110", "CS201"]
    assert codes(lint(*concise, "--extend-select", "CS201")) == ["CS101", "CS120", "CS201"]
    assert codes(lint(*concise, "--isolated")) == ["CS101", "CS110", "CS120", "CS201"]


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("pyproject.toml", "[tool.compilescope]"),
        ("pyproject.toml", "[tool.compilescope.lint]"),
        ("compilescope.toml", ""),
        ("compilescope.toml", "[lint]"),
        (".compilescope.toml", ""),
    ],
)
def test_where_the_configuration_may_stand(project, lint, name, head):
    project.write("pkg/deep/m.py", BAD)
    project.write("pkg/pyproject.toml", "[project]\nname = 'member'\n")
    project.write(name, f'{head}\nselect = ["CS2"]\noutput-format = "concise"\n')
    assert codes(lint("pkg/deep")) == ["CS201"]


def test_named_configuration(project, lint):
    project.write("m.py", BAD)
    path = project.write("other.toml", 'select = ["CS2"]\noutput-format = "concise"\n')
    assert codes(lint("--config", path)) == ["CS201"]


def test_per_file_ignores(project, lint):
    for name in ("m.py", "tests/t.py", "pkg/__init__.py"):
        project.write(name, "print(x)\n")
    project.write(
        "pyproject.toml",
        '[tool.compilescope.per-file-ignores]\n"tests/**" = ["CS1"]\n"__init__.py" = ["CS110"]\n',
    )
    outcome = lint("--format", "concise")
    assert [line.partition(":")[0] for line in outcome.lines() if ".py:" in line] == ["m.py"]
    assert lint("--per-file-ignores", "m.py:CS110").code == 0
    assert lint("--per-file-ignores", "!pkg/*:CS110,CS101").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("selct = []", ["unknown key `selct` in [tool.compilescope]", "did you mean `select`?"]),
        ("target_torch = '2.11'", ["unknown key `target_torch`", "`target-torch`"]),
        ("select = 'CS1'", ["wrong value of `select`", "Expected `array | null`, got `str`"]),
        ("[tool.compilescope.lint]\nfrobnicate = 1", ["[tool.compilescope.lint]", "known keys: "]),
        ("ignore = []\n[tool.compilescope.lint]\nignore = []", ["stands twice"]),
        ("lint = 3", ["is not a table"]),
        ("select = ['CS102']", ["unknown rule `CS102`", "did you mean `CS1"]),
        ("output-format = 'xml'", ["unknown output-format `xml`", "one of: full"]),
        ("target-torch = 'new'", ["`new` is not a version of torch"]),
        ("select = [", ["is not valid TOML"]),
    ],
)
def test_mistakes_in_the_configuration_are_explained(project, lint, text, said):
    project.write("pyproject.toml", f"[tool.compilescope]\n{text}\n")
    outcome = lint()
    assert (outcome.code, outcome.out) == (2, "")
    for part in said:
        assert part in outcome.err
    assert "Traceback" not in outcome.err


def test_tables_of_other_verbs_are_none_of_lints_business(project, lint):
    project.write("pyproject.toml", "[tool.compilescope.check]\nrecompiles = 3\n")
    project.write("m.py", "")
    assert lint().code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--select", "CS9999"], "unknown rule `CS9999`"),
        (["--config", "missing.toml"], "does not exist"),
        (["--config", "m.py"], "is not valid TOML"),
        (["--config", ".", "--isolated"], "cannot be combined"),
        (["--target-torch", "latest"], "is not a version of torch"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--per-file-ignores", "CS110"], "has no pattern"),
        (["--update-baseline"], "needs --baseline"),
        (["--stdin-filename", "a.py", "m.py"], "needs the path `-`"),
        (["-", "m.py"], "cannot be combined"),
        (["--fix", "--watch"], "cannot be combined"),
    ],
)
def test_mistakes_on_the_command_line(project, lint, arguments, said):
    project.write("m.py", "x = (\n")
    outcome = lint(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_show_settings(project, lint):
    project.write("compilescope.toml", "compiled = ['pkg.model:step']\nextend-exclude = ['gen']\n")
    text = lint("--show-settings", "--target-torch", "2.11").out
    assert "pkg.model:step" in text
    assert "gen" in text
    assert "target-torch    2.11\n" in text


def test_settings_reach_the_engine(project, lint, engine, monkeypatch):
    seen = []
    call = type(engine).__call__
    monkeypatch.setattr(
        type(engine),
        "__call__",
        lambda self, s, settings: seen.append(settings) or call(self, s, settings),
    )
    project.write("m.py", "")
    project.write(
        "compilescope.toml", "compiled = ['a:b']\npedantic = true\ntarget-torch = '2.11'\n"
    )
    lint("--compiled", "c:d")
    assert seen[0].compiled == ("a:b", "c:d")
    assert seen[0].pedantic
    assert seen[0].target_torch == "2.11"


def test_names_that_nothing_has_are_told(project, compilescope):
    project.write("m.py", "import torch\ndef f(x):\n    return x.item()\nclass A:\n    g = f\n")
    known = [x for name in ("f", "m:f", "m.py:f", "A") for x in ("--compiled", name)]
    unknown = ["g", "other:f", "A.h", "torch"]
    wrong = [x for name in unknown for x in ("--compiled", name)]
    for _ in range(2):  # the second time from the cache
        said = compilescope("lint", *known, *wrong, "m.py").err.splitlines()
        assert [line.split("`")[1] for line in said if line.startswith("warning:")] == unknown
    assert compilescope("lint", *known, "m.py").err == ""


def test_a_configured_name_may_be_in_another_file(project, compilescope):
    project.write("compilescope.toml", "compiled = ['pkg.model:step']\n")
    project.write("m.py", "import torch\n")
    assert compilescope("lint", "m.py").err == ""
