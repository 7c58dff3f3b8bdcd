"""CS104: an assertion on tensor data whose message is not a constant string."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class AssertMessage(Rule):
    """An assertion on tensor data whose message is not a constant string."""

    code = "CS104"
    name = "assert-message"
    summary = "an assertion on tensor data whose message is not a constant string"
    gb_ids = ("GB0170",)
    reason = (
        "Only an assertion with a constant message becomes part of the graph; this one is a "
        "branch on data."
    )
    help = "use a constant string as the message"

    facts = ("assert",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        message = fact.extra
        if certainty is None or message is None:
            return
        if not isinstance(message, ast.Constant):
            yield Report(certainty=certainty)
        elif not isinstance(message.value, str):
            yield Report(
                "an assertion on tensor data whose message is not a string",
                certainty=certainty,
                severity="raises",
                exact=True,
            )
