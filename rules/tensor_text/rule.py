"""CS124: tensor data becomes text."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorText(Rule):
    """Tensor data becomes text."""

    code = "CS124"
    name = "tensor-text"
    summary = "tensor data becomes text"
    gb_ids = ("GB0059", "GB0088")
    reason = "Text needs the value while the graph is built."
    help = "build the text outside"

    facts = ("format", "call:builtins.str", "call:builtins.repr", "call:builtins.format")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.value if fact.key == "format" else fact.argument(0)
        certainty = certainty_of(value) if value is not None else None
        if certainty:
            yield Report(certainty=certainty)
