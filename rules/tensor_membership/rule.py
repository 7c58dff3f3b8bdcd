"""CS109: membership in tensor data."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorMembership(Rule):
    """Membership in tensor data."""

    code = "CS109"
    name = "tensor-membership"
    summary = "membership in tensor data"
    gb_ids = ("GB0124",)
    reason = "The answer is data; Python needs it while the graph is built."
    help = "use `(x == value).any()`"

    facts = ("compare",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.detail not in ("In", "NotIn"):
            return
        certainty = certainty_of(fact.other)
        if certainty:
            yield Report(certainty=certainty)
