"""CS163: gradient bookkeeping in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown


class GradientBookkeeping(Rule):
    """Gradient bookkeeping in compiled code."""

    code = "CS163"
    name = "gradient-bookkeeping"
    summary = "gradient bookkeeping in compiled code"
    gb_ids = ("GB0108", "GB0104")
    severity = "eager"
    reason = "The graph has no gradients yet while it is built."
    help = "do it outside the compiled function"

    facts = ("call:torch.Tensor.retain_grad", "attribute:torch.Tensor.grad_fn")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        yield Report(f"`{shown(fact)}` in compiled code", certainty=certainty_of(fact.value))
