"""CS196: an operator error caught in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

CAUGHT = frozenset(("RuntimeError", "Exception", "BaseException"))
MAY_FAIL = frozenset(
    """
    view matmul mm bmm cat stack linear expand index_select gather view_as as_strided cholesky
    inv solve inverse conv2d einsum squeeze add mul
    """.split()
)


def tensor_operators(fact: Fact) -> bool:
    """Whether the body is only operators of the kinds that fail on sizes."""
    nodes = [n for statement in fact.extra.body for n in ast.walk(statement)]
    calls = (n.func for n in nodes if isinstance(n, ast.Call))
    names = {f.attr for f in calls if isinstance(f, ast.Attribute)}
    matmul = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult) for n in nodes)
    return (bool(names) or matmul) and names <= MAY_FAIL


class CaughtOperatorError(Rule):
    """An operator error caught in compiled code."""

    code = "CS196"
    name = "caught-operator-error"
    summary = "an operator error caught in compiled code"
    gb_ids = ("GB4315",)
    severity = "raises"
    certainty = "likely"
    until = (2, 13)
    reason = "The failing operator raises an error of the compiler that the handler does not catch."
    help = "test the condition instead of catching the error"

    facts = ("try",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        for handler in fact.extra.handlers:
            if isinstance(handler.body[-1], ast.Raise):
                continue
            names = {"Exception"}
            if handler.type is not None:
                names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
            if names & CAUGHT and tensor_operators(fact):
                yield Report(node=fact.extra.body[0], severity="note")  # if it fails
                return
