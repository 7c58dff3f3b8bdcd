"""A rule with a fix turns before.py into after.py, once, and leaves all else as it is."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from compilescope.lint.check import Checked
from compilescope.lint.engine import lint_source, load_rules
from compilescope.lint.fixing import Corrector
from compilescope.lint.loader import rule_folder
from compilescope.lint.source import Source

RULES = {rule.code: rule for rule in load_rules()}
FIXED = [rule for rule in RULES.values() if rule.fixable]


def read(rule, name):
    with open(os.path.join(rule_folder(rule), name), encoding="utf-8") as file:
        return re.sub(r"  # CS\d{3}\b", "", file.read())


def fixed(rule, text):
    def again(sources):
        found = lint_source(
            sources["m.py"].text,
            "m.py",
            rules=[rule],
            compiled=("make()",),
            target_torch=(2, 13),
            follow=False,
        )
        return Checked(tuple(found))

    corrector = Corrector({rule.code: rule()})
    sources = {"m.py": Source(Path("m.py"), text)}
    return corrector.run(sources, again, unsafe=rule.fixable == "unsafe").sources["m.py"].text


@pytest.mark.parametrize("rule", FIXED, ids=lambda rule: rule.code)
def test_the_example_is_fixed(rule):
    after = read(rule, "after.py")
    assert fixed(rule, read(rule, "before.py")) == after
    assert fixed(rule, after) == after


PROGRAM = """import torch


def f(x, n=2):
    # above
    BODY
    return x * 2


def make():
    return f, [(torch.ones(3),)]
"""
CASES = [
    ("CS110", "print(x.sum(), f'{x.shape}')  # why", "GUARDprint(x.sum(), f'{x.shape}')  # why"),
    ("CS110", "print(x.add_(1))", ""),
    ("CS110", "print(advance(x))", ""),
    ("CS110", "n = 3; print(x)", ""),
    ("CS110", "if n: print(x)", ""),
    ("CS110", 'print("""a\n    b""")', ""),
    ("CS110", "print(y := x + 1)", ""),
    ("CS110", "y = print(x)", ""),
    ("CS110", "input('go on?')", ""),
    ("CS110", "breakpoint()", ""),
    ("CS125", "x = pow(x, 2).sum()", "x = (x**2).sum()"),
    ("CS125", "x = pow(x, 2) ** 3", "x = (x**2) ** 3"),
    ("CS125", "x = -pow(-x, n)", "x = -(-x) ** n"),
    ("CS125", "x = pow(x + 1, 2)", "x = (x + 1) ** 2"),
    ("CS125", "x = pow(*(x, 2))", ""),
    ("CS125", "x, y = divmod(x, 2)", ""),
    ("CS105", "torch._assert(x.all(), f'{x}')", ""),
    ("CS105", "torch._check(x.all())", ""),
    ("CS104", "assert x.all(), f'{x.sum():.2f} in {{x}}'", "assert x.all(), 'x.sum() in {x}'"),
    ("CS104", "assert x.all(), f'{x}' 'more'", "assert x.all(), 'x' 'more'"),
    ("CS104", "assert x.all(), (f'{x}',)", "assert x.all(), ('x')"),
    ("CS104", "assert x.all(), f'{x[\"a\"]}'", ""),
    ("CS104", "assert x.all(), str(n)", ""),
    ("CS187", "torch._dynamo.graph_break()", "DELETED"),
]


@pytest.mark.parametrize(("code", "before", "after"), CASES)
def test_fix_or_decline(code, before, after):
    text = PROGRAM.replace("BODY", before)
    guard = "if not torch.compiler.is_compiling():\n        "
    wanted = PROGRAM.replace("BODY", (after or before).replace("GUARD", guard))
    result = fixed(RULES[code], text)
    assert result == wanted.replace("    DELETED\n", "")
    ast.parse(result)


def test_what_is_said_to_be_fixable_is_fixed():
    """A mark on a finding whose fix declines would promise what `--fix` does not do."""
    left = []
    for code, before, _ in CASES:
        text = PROGRAM.replace("BODY", before)
        found = lint_source(text, "m.py", rules=[RULES[code]], compiled=("make()",), follow=False)
        if any(f.fix for f in found) and fixed(RULES[code], text) == text:
            left.append(before)
    assert left == []


def test_a_moved_import_takes_its_comments_along():
    text = PROGRAM.replace(
        "BODY",
        "try:\n        import fast_one  # why\n    except ImportError:  # slow\n        pass",
    )
    result = fixed(RULES["CS133"], text)
    assert "# why\n# slow\ntry:\n    import fast_one\nexcept" in result
    assert "    # above\n    return" in result
