"""What is passed to a compiled callable from call to call (measured with torch 2.13)."""

from __future__ import annotations

import re
import textwrap

import pytest

from compilescope.lint.engine import lint_source

HEAD = """
import torch

"""

PASSED = {
    "a sequence that grows": """
        def generate(model, ids, n):
            step = torch.compile(model)
            for _ in range(n):
                token = step(ids).argmax(-1, keepdim=True)  # CS220
                ids = torch.cat([ids, token], dim=1)
            return ids
    """,
    "its last part": """
        def generate(model, ids, n):
            step = torch.compile(model)
            for _ in range(n):
                token = step(ids[:, -1:]).argmax(-1, keepdim=True)  # CS220
                ids = torch.cat([ids, token], dim=1)
            return ids
    """,
    "compiled for any size": """
        def generate(model, ids, n):
            step = torch.compile(model, dynamic=True)
            for _ in range(n):
                token = step(ids).argmax(-1, keepdim=True)
                ids = torch.cat([ids, token], dim=1)
            return ids
    """,
    "marked": """
        def generate(model, ids, n):
            step = torch.compile(model)
            torch._dynamo.mark_dynamic(ids, 1)
            for _ in range(n):
                token = step(ids).argmax(-1, keepdim=True)
                ids = torch.cat([ids, token], dim=1)
            return ids
    """,
    "the new part": """
        def generate(model, token, n):
            step = torch.compile(model)
            tokens = token
            for _ in range(n):
                token = step(token).argmax(-1, keepdim=True)
                tokens = torch.cat([tokens, token], dim=1)
            return tokens
    """,
    "numbers that are written out": """
        @torch.compile
        def blur(x, sigma: float):
            return torch.exp(-(x**2) / (2 * sigma**2))  # CS211
        def sweep(x):
            return [blur(x, 0.5)] + [x for sigma in (1.0, 2.0)]
        for sigma in (0.5, 1.0, 2.0):
            blur(torch.ones(3), sigma)
    """,
    "the same number": """
        @torch.compile
        def blur(x, sigma: float):
            return torch.exp(-(x**2) / (2 * sigma**2))
        for sigma in (0.5,):
            blur(torch.ones(3), sigma)
    """,
    "an intermediate that is differentiated": """
        @torch.compile
        def penalty(x: torch.Tensor, net):
            mix = (x * 2).requires_grad_(True)  # CS162
            (slope,) = torch.autograd.grad(net(mix).sum(), mix)  # CS161
            return slope.norm()
    """,
    "a schedule in the compiled step": """
        model = torch.nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        @torch.compile
        def step(x):
            loss = model(x).sum()
            schedule.step()  # CS164
            return loss
    """,
}


@pytest.mark.parametrize("name", PASSED)
def test_what_calls_bring(name):
    text = HEAD + textwrap.dedent(PASSED[name])
    found = lint_source(text, "code.py", target_torch=(2, 13))
    wanted = re.compile(r"# (CS\d+)$")
    marks = [(n, m[1]) for n, line in enumerate(text.splitlines(), 1) if (m := wanted.search(line))]
    assert [(f.line, f.code) for f in found] == marks
