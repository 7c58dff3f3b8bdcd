"""CS101: Python decides on a tensor's value."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class DataDependentBranch(Rule):
    code = "CS101"
    name = "data-dependent-branch"
    summary = "Python decides on the value of a tensor"
    facts = ("branch",)
    gb_ids = ("GB0170",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        if fact.detail in ("if", "while", "ternary", "and", "or", "compare", "match"):
            certainty = certainty_of(fact.value)
            if certainty:
                yield Report(f"`{fact.detail}` decides on a tensor's value", certainty=certainty)
