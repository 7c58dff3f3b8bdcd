"""CS219: an argument of varying length unpacked in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class StarredArgument(Rule):
    """An argument of varying length unpacked in compiled code."""

    code = "CS219"
    name = "starred-argument"
    summary = "an argument of varying length unpacked in compiled code"
    severity = "bounded"
    certainty = "likely"
    reason = "The length of a container is guarded."
    help = "pass a stacked tensor or a fixed number of values"

    facts = ("unpack",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        source = getattr(fact.extra, "value", None)
        function = fact.site.function
        if fact.detail != "starred" or not isinstance(source, ast.Name) or function is None:
            return
        if fact.site.root and source.id in {a.arg for a in function.node.args.args}:
            yield Report(node=fact.extra)
