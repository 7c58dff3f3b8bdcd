"""CS184: a class defined in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, header


class ClassInFunction(Rule):
    """A class defined in compiled code."""

    code = "CS184"
    name = "class-in-function"
    summary = "a class defined in compiled code"
    gb_ids = ("GB8977",)
    reason = "Making a class is not traced."
    help = "define it at module level"

    facts = ("class",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        yield Report(node=header(fact.node))
