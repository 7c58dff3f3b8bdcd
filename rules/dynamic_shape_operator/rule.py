"""CS140: operators whose output size depends on the data."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, shown
from compilescope.lint.torch_table import DYNAMIC_OUTPUT

ALWAYS = ("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount")


class DynamicShapeOperator(Rule):
    """The size of the result is known only when the operator has run."""

    code = "CS140"
    name = "dynamic-shape-operator"
    summary = "the size of the result depends on the data"
    facts = tuple(
        f"call:{owner}.{name}"
        for owner in ("torch", "torch.Tensor")
        for name in sorted({*ALWAYS, *(n for n in DYNAMIC_OUTPUT if not n.startswith("_"))})
    )
    gb_ids = ("GB0036",)
    reason = "A graph needs sizes; this operator's output size is data."
    help = "compute with a mask of fixed size"

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the call."""
        del target
        if fact.name.rpartition(".")[2] in ALWAYS:
            yield Report(f"`{shown(fact)}`: {self.summary}")
