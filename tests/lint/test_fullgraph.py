"""With fullgraph=True torch captures what it reads out of tensors: only deciding on it raises."""

from __future__ import annotations

import importlib.util

import pytest

from compilescope.lint.engine import lint_source

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
    "n = int(i)\nfor _ in range(n):\n    x = x + 1\nreturn x",
]
RAISING = [
    "return x if x.sum().item() > 0 else x * 2",
    "n = x.sum().item()\nif n > 0:\n    x = x * 2\nreturn x",
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

    assert {body for body in CAPTURED if raises(body)} == set()
    assert {body for body in RAISING if not raises(body)} == set()
