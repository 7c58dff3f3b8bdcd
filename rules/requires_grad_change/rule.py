"""CS162: requires_grad changed in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.index import own_statements
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.values import INPUT, PARAMETER, is_tensor


def returned(fact: Fact) -> bool:
    """Whether the tensor is a name that the function returns."""
    function = getattr(fact.node, "func", None)
    receiver = getattr(function, "value", None)
    if not isinstance(receiver, ast.Name) or fact.site.function is None:
        return False
    return any(
        isinstance(part, ast.Name) and part.id == receiver.id
        for node in own_statements(fact.site.function.node)
        if isinstance(node, ast.Return) and node.value is not None
        for part in ast.walk(node.value)
    )


def splits_later(fact: Fact) -> bool:
    """Whether the function asks for gradients: the graph ends there and gives the tensor."""
    function = fact.site.function
    if function is None:
        return False
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("grad", "backward")
        and node.lineno > getattr(fact.node, "lineno", 0)
        for node in ast.walk(function.node)
    )


class RequiresGradChange(Rule):
    """Requires_grad changed in compiled code."""

    code = "CS162"
    name = "requires-grad-change"
    summary = "requires_grad changed in compiled code"
    gb_ids = ("GB0125", "GB8985")
    reason = "It changes a property of the tensor that the graph was built on."
    help = "set it before the compiled call"

    facts = ("call:torch.Tensor.requires_grad_", "store-attribute")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key == "store-attribute":
            if fact.detail == "requires_grad" and is_tensor(fact.value):
                yield Report("`requires_grad` set in compiled code", gb_ids=("GB0206",))
            return
        flag = fact.argument(0)
        if flag is not None and flag.data is False:
            return
        if fact.value.note & (INPUT | PARAMETER) or returned(fact) or splits_later(fact):
            yield Report("`requires_grad_()` in compiled code", certainty=certainty_of(fact.value))
