"""A cause has the same words in `lint` and in what is said of a run."""

from __future__ import annotations

import pytest

from compilescope.diagnose.break_advice import words_on
from compilescope.lint.engine import lint_source
from compilescope.model import Frame, GraphBroke

CASES = [
    ("GB0170", "Data-dependent branching", "if x.sum() > 0:\n        x = foo(x)"),
    ("GB0170", "Data-dependent branching", "if not x.sum() > 0:\n        x = foo(x)"),
    ("GB0170", "Data-dependent branching", "while x.sum() > 0:\n        x = x - 1"),
    ("GB0170", "Data-dependent branching", "assert x.sum() > 0, f'{x}'"),
    ("GB0124", "Unsupported Tensor.item() call", "y = x.sum().item()"),
    ("GB0059", "Failed to trace builtin operator print", "print(x)"),
    ("GB0036", "Dynamic shape operator", "y = x[x > 0]"),
    ("GB0036", "Dynamic shape operator", "y = x.nonzero()"),
    ("GB0033", "Data dependent operator", "y = math.sqrt(x.sum())"),
    ("GB0033", "Data dependent operator", "y = not x.any()"),
]


@pytest.mark.parametrize(("gb_id", "kind", "line"), CASES)
def test_lint_and_diagnosis_say_the_same(gb_id, kind, line):
    head = "import math, torch\n@torch.compile\ndef f(x: torch.Tensor):\n"
    source = f"{head}    {line}\n    return x\n"
    first, *_ = lint_source(source, "m.py", target_torch=(2, 13), follow=False)
    frame = Frame("m.py", 4, "f", line)
    why, fixes = words_on(GraphBroke(0, "0/0", kind, frame, gb_id=gb_id), (2, 13))
    assert first.reason == why
    assert first.help.startswith(fixes[0].text)
