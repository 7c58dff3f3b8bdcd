"""CS901: torch.compile called again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.hoisting import compile_can_move
from compilescope.lint.index import own_statements
from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction

KINDS = ("function", "instance", "unknown")


def local_result(fact: Fact) -> bool:
    """Whether the compiled callable is called on the spot or kept in a local name."""
    function = fact.site.function
    if function is None:
        return False
    for node in own_statements(function.node):
        if isinstance(node, ast.Assign) and node.value is fact.node:
            return all(isinstance(target, ast.Name) for target in node.targets)
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and part.func is fact.node:
                return True
    return False


class CompiledEveryCall(Rule):
    """Torch.compile called again and again."""

    code = "CS901"
    name = "compiled-every-call"
    summary = "torch.compile called again and again"
    severity = "note"
    everywhere = True
    reason = "The wrapper is thrown away after the call."
    help = "compile once and keep the result"

    fixable = "unsafe"
    facts = ("compile",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.site.compiled or fact.detail != "torch.compile" or fact.site.init:
            return
        if fact.site.loops and fact.value.kind in KINDS and local_result(fact):
            yield Report(fix="unsafe" if compile_can_move(fact) else "")

    def fix(self, correction: Correction) -> None:
        """Compile once, above the function."""
        from compilescope.lint.moving import move_compile

        move_compile(correction)
