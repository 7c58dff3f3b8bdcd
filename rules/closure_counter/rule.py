"""CS203: a number of the enclosing function that each call changes."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class ClosureCounter(Rule):
    """A number of the enclosing function that each call changes."""

    code = "CS203"
    name = "closure-counter"
    summary = "a number of the enclosing function that each call changes"
    severity = "bounded"
    reason = "The graph is compiled for the value it saw."
    help = "keep it in a tensor, or count outside"

    facts = ("store-nonlocal",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind in ("number", "const") and fact.extra:
            yield Report(f"`{fact.detail}` of the enclosing function changes with each call")
