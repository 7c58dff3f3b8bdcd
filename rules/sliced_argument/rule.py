"""CS220: a slice of a growing tensor passed to a compiled callable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.index import own_statements
from compilescope.lint.rule import Fact, Report, Rule, Versions


def sliced_inside(node: ast.Subscript) -> bool:
    """Whether a dimension after the first is sliced."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    return any(isinstance(part, ast.Slice) and (part.lower or part.upper) for part in parts[1:])


def grows(function: ast.AST, name: str) -> bool:
    """Whether the function appends to the tensor with torch.cat."""
    for node in own_statements(function):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
        joins = getattr(node.value.func, "attr", "") in ("cat", "concat")
        names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        if name in targets and joins and name in names:
            return True
    return False


class SlicedArgument(Rule):
    """A slice of a growing tensor passed to a compiled callable."""

    code = "CS220"
    name = "sliced-argument"
    summary = "a slice of a growing tensor passed to a compiled callable"
    severity = "bounded"
    everywhere = True
    reason = "The strides of inputs are guarded, and this stride grows."
    help = "pass the new part itself, or call `.contiguous()`"

    facts = ("compiled-call",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if not isinstance(fact.node, ast.Call) or not fact.site.loops or fact.site.function is None:
            return
        for argument in fact.node.args:
            if not isinstance(argument, ast.Subscript) or not isinstance(argument.value, ast.Name):
                continue
            if sliced_inside(argument) and grows(fact.site.function.node, argument.value.id):
                yield Report(node=argument)
