"""CS121: tensor data becomes a Python number by conversion."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown


class TensorToNumber(Rule):
    """Tensor data becomes a Python number by conversion."""

    code = "CS121"
    name = "tensor-to-number"
    summary = "tensor data becomes a Python number by conversion"
    gb_ids = ("GB0124", "GB0033")
    reason = "The value exists only when the graph runs; Python needs it while the graph is built."
    help = "keep the 0-d tensor, or pass the number in"

    facts = ("call:builtins.int", "call:builtins.float", "call:builtins.complex")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0)
        if value is None:
            return
        certainty = certainty_of(value)
        if certainty:
            yield Report(
                f"`{shown(fact)}()` turns tensor data into a Python number", certainty=certainty
            )
