"""With fullgraph=True torch captures what it reads out of tensors: only deciding on it raises."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from compilescope.lint.check import Checked
from compilescope.lint.engine import lint_source, load_rules
from compilescope.lint.fixing import Corrector
from compilescope.lint.source import Source

PROGRAM = """import torch


def f(x, i):
BODY


def make():
    return f, [(torch.tensor([1.0, -2.0, 3.0]), torch.tensor(1))]
"""
CAPTURED = [
    "return x * x.sum().item()",
    "return x * int(x.max())",
    "return x * bool(x.all())",
    "return x.nonzero() * 2",
    "return x[x > 0].sum()",
    "return torch.unique(x) + 1",
    "return x[:i] * 2",
    "return [x, x * 2][i]",
    "n = x.sum().item()\nassert n > 0, 'sum'\nreturn x / n",
    "if int(i) > 9:\n    raise ValueError('many')\nreturn x",
    "n = int(i)\nfor _ in range(n):\n    x = x + 1\nreturn x",
]
RAISING = [
    "return x if x.sum().item() > 0 else x * 2",
    "n = x.sum().item()\nif n > 0:\n    x = x * 2\nreturn x",
    "n = x.sum().item()\nif n == 0:\n    raise ValueError('sum')\nreturn x / n",
    "if len(x.nonzero()) > 0:\n    x = x * 2\nreturn x",
    "for row in x.nonzero():\n    x = x + row\nreturn x",
    "if x.sum() > 0:\n    x = x * 2\nreturn x",
    "print(i)\nreturn x",
]


def program(body):
    return PROGRAM.replace("BODY", "\n".join(f"    {line}" for line in body.split("\n")))


def found(body):
    text = program(body).replace("def f(", "@torch.compile(fullgraph=True)\ndef f(")
    return {finding.severity for finding in lint_source(text, "m.py", follow=False)}


@pytest.mark.parametrize("body", CAPTURED)
def test_what_is_captured_is_not_reported(body):
    assert found(body) == set()


@pytest.mark.parametrize("body", RAISING)
def test_what_raises_is_reported_so(body):
    assert found(body) == {"raises"}


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_torch_says_the_same():
    import torch

    def raises(body):
        names = {}
        exec(compile(program(body), "m.py", "exec"), names)
        function, calls = names["make"]()
        torch.compiler.reset()
        try:
            torch.compile(function, backend="eager", fullgraph=True)(*calls[0])
        except Exception:  # noqa: BLE001  torch has several for this
            return True
        return False

    fixed = [after for _, after in CHECKED]
    assert {body for body in (*CAPTURED, *fixed) if raises(body)} == set()
    unfixed = [before for before, _ in CHECKED]
    assert {body for body in (*RAISING, *unfixed) if not raises(body)} == set()


CHECKED = [
    (
        "n = x.sum().item()\nif n == 0:  # why\n    raise ValueError('no sum')\nreturn x / n",
        "n = x.sum().item()\n# why\ntorch._check(n != 0, lambda: 'no sum')\nreturn x / n",
    ),
    (
        "n = int(x.sum())\nif n > x.shape[0] + 3:\n    raise ValueError(f'{n} is more')\nreturn x",
        "n = int(x.sum())\ntorch._check(n <= (x.shape[0] + 3), lambda: 'n is more')\nreturn x",
    ),
]
LEFT = [
    "n = x.sum().item()\nif n == 0:\n    raise ValueError\nelse:\n    x = x * 2\nreturn x / n",
    "n = x.sum().item()\nif n == 0:\n    raise ValueError\nif n > 1:\n    x = x * 2\nreturn x / n",
    "n = x.sum().item()\nn = n + 1\nif n == 0:\n    raise ValueError\nreturn x / n",
    "n = x.max().item()\ntry:\n    if n == 0:\n        raise OSError\nexcept OSError:\n    n = 1",
]


def compiled(body):
    return program(body).replace("def f(", "@torch.compile(fullgraph=True)\ndef f(")


@pytest.fixture
def corrected():
    """`corrected(body)`: the program after the unsafe fixes."""
    rules = {rule.code: rule() for rule in load_rules()}

    def again(sources):
        return Checked(tuple(lint_source(sources["m.py"].text, "m.py", follow=False)))

    def correct(body):
        sources = {"m.py": Source(Path("m.py"), compiled(body))}
        return Corrector(rules).run(sources, again, unsafe=True).sources["m.py"].text

    return correct


def test_a_branch_on_a_tensor_made_of_it_is_the_branch_that_raises():
    text = compiled("if torch.all(x[x > 0] < 9):\n    x = x * 2\nreturn x")
    assert {f.code for f in lint_source(text, "m.py", follow=False)} == {"CS101"}


@pytest.mark.parametrize(("before", "after"), CHECKED)
def test_a_guard_becomes_a_check(corrected, before, after):
    assert corrected(before) == compiled(after)
    assert found(after) == set()


@pytest.mark.parametrize("body", LEFT)
def test_other_branches_are_left(corrected, body):
    assert corrected(body) == compiled(body)
