"""CS103: a tensor turned into a Python bool."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorBool(Rule):
    """A tensor turned into a Python bool."""

    code = "CS103"
    name = "tensor-bool"
    summary = "a tensor turned into a Python bool"
    gb_ids = ("GB0124", "GB0170")
    reason = "The value exists only when the graph runs."
    help = "keep the 0-d tensor"

    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        if fact.detail in ("bool()", "any()") and certainty:
            yield Report("tensor data becomes a Python bool", certainty=certainty)
