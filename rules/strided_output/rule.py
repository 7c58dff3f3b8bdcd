"""CS174: an output buffer that is not contiguous."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

OPERATORS = "add sub mul div matmul mm bmm addmm cat stack sum mean exp log sqrt clamp where"


def contiguous(node: ast.expr) -> bool:
    """Whether the expression is not a transposed or strided view."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", "") not in ("t", "transpose", "permute", "mT")
    return not (isinstance(node, ast.Attribute) and node.attr in ("T", "mT"))


class StridedOutput(Rule):
    """An output buffer that is not contiguous."""

    code = "CS174"
    name = "strided-output"
    summary = "an output buffer that is not contiguous"
    gb_ids = ("GB0242",)
    reason = "Only a contiguous output of the right shape is traced."
    help = "write into a contiguous buffer"

    facts = tuple(f"call:torch.{name}" for name in OPERATORS.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if not isinstance(fact.node, ast.Call):
            return
        for keyword in fact.node.keywords:
            if keyword.arg == "out" and not contiguous(keyword.value):
                yield Report()
