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


def takes_any_size(fact: Fact) -> bool:
    """Whether the callable was compiled for sizes that change, or the function marks them."""
    callee = fact.value
    options = callee.note if callee.kind == "compiled" else getattr(callee.data, "compiled", None)
    marks = fact.site.module.text.count("mark_dynamic") + fact.site.module.text.count("unbacked")
    return dict(options or ()).get("dynamic") is True or marks > 0


WHOLE = "a tensor that grows in the loop passed to a compiled callable"
PART = "a slice of a growing tensor passed to a compiled callable"
SIZE = "The first size is a constant of the graph; the second compiles again, for any size."
ANY_SIZE = "mark the dimension before the first call, or compile with `dynamic=True`"


class SlicedArgument(Rule):
    """A slice of a growing tensor passed to a compiled callable."""

    code = "CS220"
    name = "sliced-argument"
    summary = "a growing tensor, or a slice of it, passed to a compiled callable"
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
        function = fact.site.function.node
        for argument in fact.node.args:
            part = isinstance(argument, ast.Subscript) and sliced_inside(argument)
            whole = argument.value if part else argument  # type: ignore[attr-defined]
            if not isinstance(whole, ast.Name) or not grows(function, whole.id):
                continue
            if part:
                yield Report(PART, node=argument)
            elif not takes_any_size(fact):
                yield Report(WHOLE, node=argument, reason=SIZE, help=ANY_SIZE)
