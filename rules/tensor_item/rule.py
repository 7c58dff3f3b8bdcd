"""CS120: a tensor's value becomes a Python number by `.item()`."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorItem(Rule):
    """`.item()` asks for a value that does not exist while the graph is built."""

    code = "CS120"
    name = "tensor-item"
    summary = "`.item()` turns tensor data into a Python number"
    facts = ("call:torch.Tensor.item",)
    gb_ids = ("GB0124",)
    reason = "The value exists only when the graph runs; Python needs it while it is built."
    help = "keep the value as a tensor"

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the call."""
        del target
        yield Report(self.summary, certainty=certainty_of(fact.value))
