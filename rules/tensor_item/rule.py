"""CS120: tensor data becomes a Python number."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorItem(Rule):
    """Tensor data becomes a Python number."""

    code = "CS120"
    name = "tensor-item"
    summary = "tensor data becomes a Python number"
    gb_ids = ("GB0124",)
    reason = "The value exists only when the graph runs; Python needs it while the graph is built."
    help = "keep the 0-d tensor, or set `torch._dynamo.config.capture_scalar_outputs`"

    facts = ("call:torch.Tensor.item",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        message = "`.item()` turns tensor data into a Python number"
        yield Report(message, certainty=certainty_of(fact.value))
