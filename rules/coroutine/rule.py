"""CS134: a coroutine in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, header


class Coroutine(Rule):
    """A coroutine in compiled code."""

    code = "CS134"
    name = "coroutine"
    summary = "a coroutine in compiled code"
    gb_ids = ("GB0007", "GB0088")
    severity = "raises"
    reason = "Coroutines are not traced."
    help = "compile the synchronous part"

    facts = ("function",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if isinstance(fact.node, ast.AsyncFunctionDef) and fact.site.root:
            yield Report(node=header(fact.node), exact=True)
