"""CS215: the identity of a tensor used as a key."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown


class IdentityOfTensor(Rule):
    """The identity of a tensor used as a key."""

    code = "CS215"
    name = "identity-of-tensor"
    summary = "the identity of a tensor used as a key"
    gb_ids = ("GB9316",)
    severity = "limit"
    reason = "The identity is guarded, and each tensor has its own."
    help = "pass an explicit key"

    facts = ("call:builtins.id", "call:builtins.hash")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0)
        certainty = certainty_of(value) if value is not None else None
        if certainty:
            yield Report(f"`{shown(fact)}()` of a tensor", certainty=certainty)
