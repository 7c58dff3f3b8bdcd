"""Branches on tensor data become `torch.where`, assertions and flags, where that is shown."""

from __future__ import annotations

import ast
import importlib.util

import pytest

PROGRAM = """import torch
import torch.nn.functional as F


def advance(x):
    x.add_(1)
    return x


def f(x, y, m, n=2):
BODY


def make():
    one = torch.tensor([[1.0, -2.0], [3.0, 4.0]])
    two = torch.tensor([[0.5, 2.0], [-1.0, 0.0]])
    return f, [(one, two, one > 0), (-one, one, two > 9), (two * 0, two, two > 0)]
"""


def program(body):
    """The program around some statements."""
    return PROGRAM.replace("BODY", "\n".join(f"    {line}" for line in body.split("\n")))


CHOSEN = [
    ("return x + 1 if x.sum() > 0 else x - 1", "return torch.where(x.sum() > 0, x + 1, x - 1)"),
    (
        "if x.sum() > 0:\n    z = x * 2\nelse:\n    z = -x\nreturn z * y",
        "z = torch.where(x.sum() > 0, x * 2, -x)\nreturn z * y",
    ),
    (
        "if x.mean() < 0:  # why\n    # how\n    x = x.clamp(min=0)  # what\nreturn x",
        "# why\n# how\n# what\nx = torch.where(x.mean() < 0, x.clamp(min=0), x)\nreturn x",
    ),
    (
        "if (x > y).any():\n    return x + y\n# or else\nreturn x * y  # this",
        "# or else\nreturn torch.where((x > y).any(), x + y, x * y)  # this",
    ),
    (
        "if x.max() > 1:\n    return F.relu(x)\nelse:\n    return torch.sigmoid(x)",
        "return torch.where(x.max() > 1, F.relu(x), torch.sigmoid(x))",
    ),
    ("if x.sum():\n    return x\nreturn -x", "return torch.where(x.sum() != 0, x, -x)"),
    (
        "big = x.abs().max() > 3\nif not big:\n    x = x * 2\nreturn x",
        "big = x.abs().max() > 3\nx = torch.where(big != 0, x, x * 2)\nreturn x",
    ),
    (
        "scale = 2.0 if x.sum() > 0 else 0.5\nreturn x * scale",
        "scale = torch.where(x.sum() > 0, 2.0, 0.5)\nreturn x * scale",
    ),
    (
        "if (x > 9).any() or (y > 9).any():\n    x = x * 2\nreturn x",
        "x = torch.where((x > 9).any() | (y > 9).any(), x * 2, x)\nreturn x",
    ),
    (
        "if m.any() and not torch.isnan(y).any():\n    return x\nreturn y",
        "",
    ),
    ("if m.any():\n    x = x.masked_fill(m, 0.0)\nreturn x", "x = x.masked_fill(m, 0.0)\nreturn x"),
    (
        "if torch.any(m):\n    x = torch.where(m, y, x)\nreturn x",
        "x = torch.where(m, y, x)\nreturn x",
    ),
    ("z = x * 2\nif m.any():\n    z[m] = 0\nreturn z", "z = x * 2\nz[m] = 0\nreturn z"),
    (
        "empty = not m.any()\nreturn x * empty",
        "empty = torch.logical_not(m.any())\nreturn x * empty",
    ),
    (
        "ok = 0 < x.sum() < 9\nreturn x * ok",
        "ok = (0 < x.sum()) & (x.sum() < 9)\nreturn x * ok",
    ),
    (
        "assert not torch.isnan(x).any()\nreturn x",
        "assert torch.logical_not(torch.isnan(x).any())\nreturn x",
    ),
]
APART = [
    (
        "if x.norm() > 3:\n    x = x / x.norm()\nreturn x",
        "x = torch.cond(x.norm() > 3, lambda: x / x.norm(), lambda: x.clone())\nreturn x",
    ),
    (
        "if x.mean() < 0:\n    return x.exp()\nreturn x * 2",
        "return torch.cond(x.mean() < 0, lambda: x.exp(), lambda: x * 2)",
    ),
    (
        "return x / x.std() if not (x.mean() > 0) else x",
        "return torch.cond(x.mean() > 0, lambda: x.clone(), lambda: x / x.std())",
    ),
    (
        "s = x.mean()\ns = s.log() if s > 0 else s\nreturn y * s",
        "s = x.mean()\ns = torch.cond(s > 0, lambda: s.log(), lambda: s.clone())\nreturn y * s",
    ),
    (
        "s = x.norm()\nt = 1 / s if s > 0 else s.sqrt()\nreturn y * t",
        "s = x.norm()\nt = torch.cond(s > 0, lambda: 1 / s, lambda: s.sqrt())\nreturn y * t",
    ),
]
CHECKED = [
    (
        'if torch.isnan(x).any():\n    raise ValueError("nan")\nreturn x',
        'assert ~torch.isnan(x).any(), "nan"\nreturn x',
    ),
    (
        'if x.min() < -9:  # never\n    raise ValueError(f"below {n} in {x.shape}")\nreturn x',
        '# never\nassert ~(x.min() < -9), "below n in x.shape"\nreturn x',
    ),
    (
        "if not (x < 9).all():\n    raise RuntimeError\nreturn x",
        'assert (x < 9).all(), "RuntimeError"\nreturn x',
    ),
    (
        'if torch.isnan(x).any() or torch.isinf(x).any():\n    raise ValueError("bad")\nreturn x',
        'assert ~(torch.isnan(x).any() | torch.isinf(x).any()), "bad"\nreturn x',
    ),
]
DECLINED = [
    "return advance(x) if x.sum() > 0 else x",
    "return x / y if x.sum() > 0 else x * y",
    "return x.log() if x.min() > 0 else x",
    "return x.sum(1) if x.sum() > 0 else x",
    "return x @ y if x.sum() > 0 else x",
    "return x / x.norm() if x.sum() > 0 else x.exp() + y",
    "return x.norm() / x.sum() if x.sum() > 0 else y.norm() / y.sum()",
    "return x.exp().float() if x.mean() > 0 else x.half()",
    "return x / x.std() if x.mean() > 0 else x.detach()",
    "return x.exp().transpose(0, 1) if x.mean() > 0 else x",
    "return x + y if x.sum() > 0 else x",
    "return 2 if x.sum() > 0 else 3",
    "return x > 0 if x.sum() > 0 else x",
    "return x + 1 if (x > 0).all(1) else x",
    "if x.sum() > 0:\n    x += 1\nreturn x",
    "if x.sum() > 0:\n    x = x + 1\n    y = y + 1\nreturn x + y",
    "if x.sum() > 0:\n    x = x + 1\nelif y.sum() > 0:\n    x = x - 1\nreturn x",
    "if x.sum() > 0:\n    z = x + 1\nelse:\n    y = x - 1\nreturn y",
    "if x.sum() > 0: return x\nreturn -x",
    "if x.sum() > 0:\n    return x\ny = y + 1\nreturn y",
    "try:\n    if x.sum() > 9:\n        raise ValueError\nexcept ValueError:\n    x = y\nreturn x",
    "if x.sum() > 99:\n    raise ValueError('a' + str(n))\nreturn x",
    "if x.sum() > 99:\n    raise ValueError('a', n)\nreturn x",
    "while x.sum() > 99:\n    x = x - 1\nreturn x",
    "if m.any():\n    x = x.masked_fill(~m, 0)\nelse:\n    x = y / x\nreturn x",
    "return x if n > 1 else y",
]


@pytest.mark.parametrize(("before", "after"), CHOSEN + APART + CHECKED)
def test_rewritten(fixed, before, after):
    result = fixed(program(before))
    assert result == program(after or before)
    assert fixed(result) == result
    ast.parse(result)


@pytest.mark.parametrize("before", DECLINED)
def test_declined(fixed, before):
    assert fixed(program(before)) == program(before)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_rewritten_programs_compute_the_same_and_do_not_break(differing):
    pairs = CHOSEN + APART + CHECKED
    chosen = [(program(before), program(after)) for before, after in pairs if after]
    assert differing(chosen) == []
