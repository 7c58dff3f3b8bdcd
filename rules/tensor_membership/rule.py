"""CS109: membership of or in tensor data."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.values import contains_tensor, element


class TensorMembership(Rule):
    """Membership of or in tensor data."""

    code = "CS109"
    name = "tensor-membership"
    summary = "membership of or in tensor data"
    gb_ids = ("GB0124", "GB0170")
    reason = "The answer is data; Python needs it while the graph is built."
    help = "use `(x == value).any()` or `torch.isin`"

    facts = ("compare",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.detail not in ("In", "NotIn"):
            return
        certainty = certainty_of(fact.other)
        numbers = fact.other.kind in ("list", "tuple") and not contains_tensor(fact.other)
        if certainty is None and numbers and element(fact.other).kind in ("number", "const"):
            certainty = certainty_of(fact.value)
        if certainty:
            yield Report(certainty=certainty)
