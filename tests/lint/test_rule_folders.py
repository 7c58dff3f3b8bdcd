"""Each rule folder states what it finds: the marked lines of before.py, nothing of after.py."""

from __future__ import annotations

import os
import re

import pytest

from compilescope.lint.engine import lint_source, load_rules
from compilescope.lint.loader import rule_folder

RULES = load_rules()
HEADINGS = ("What it does", "Why it matters", "Example", "Fix", "When it is fine")


def text(rule, name):
    with open(os.path.join(rule_folder(rule), name), encoding="utf-8") as file:
        return file.read()


def found(rule, name):
    path = os.path.join(rule_folder(rule), name)
    findings = lint_source(
        text(rule, name),
        path,
        rules=[rule],
        compiled=("make()",),
        target_torch=(2, 13),
        pedantic=rule.pedantic,
        follow=False,
    )
    return sorted({f.line for f in findings})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_before_is_found_at_the_marked_lines(rule):
    lines = text(rule, "before.py").splitlines()
    marked = [n for n, line in enumerate(lines, 1) if re.search(rf"# .*\b{rule.code}\b", line)]
    assert marked
    assert found(rule, "before.py") == marked


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_after_is_silent(rule):
    assert found(rule, "after.py") == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_readme_has_the_headings(rule):
    readme = text(rule, "README.md")
    assert readme.startswith(f"# {rule.name} ({rule.code})\n")
    assert re.findall(r"^## (.+)$", readme, re.MULTILINE) == list(HEADINGS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_readme_shows_the_examples_as_they_are(rule):
    blocks = re.findall(r"```python\n(.*?)```", text(rule, "README.md"), re.DOTALL)
    assert blocks
    for block, name in zip(blocks, ("before.py", "after.py"), strict=False):
        code = re.sub(r"  # CS\d{3}\b.*", "", text(rule, name))
        for part in block.strip().split("\n\n\n"):
            assert part.strip() in code, name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_readme_says_whether_there_is_a_fix(rule):
    about = text(rule, "README.md").partition("## Fix\n")[2].partition("\n## ")[0].lstrip()
    assert about.startswith(("Safe", "Unsafe")) == bool(rule.fixable)
    assert about.startswith(rule.fixable.capitalize())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_says_what_and_how(rule):
    folder = os.path.basename(rule_folder(rule))
    assert rule.name == folder.replace("_", "-")
    assert re.fullmatch(r"CS[1-9]\d\d", rule.code)
    assert rule.summary
    assert rule.reason
    assert rule.help
    assert rule.facts


def test_codes_name_their_group():
    assert len(RULES) >= 60
    groups = {
        "1": ("raises", "eager", "split"),
        "2": ("raises", "limit", "bounded"),
        "3": ("note",),
        "4": ("note",),
        "9": ("note",),
    }
    for rule in RULES:
        assert rule.severity in groups[rule.code[2]], rule.code
