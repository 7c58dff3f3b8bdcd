"""CS108: Python orders or searches tensors."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.operators import iterated
from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import is_tensor


class OrderedTensors(Rule):
    """Python orders or searches tensors."""

    code = "CS108"
    name = "ordered-tensors"
    summary = "Python orders or searches tensors"
    gb_ids = ("GB0207", "GB8335")
    reason = "Comparing tensors gives tensors, and Python needs to know which is smaller."
    help = "use `torch.sort` on the stacked tensors"

    facts = ("call:builtins.sorted", "call:builtins.list.sort", "call:builtins.list.index")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0) if fact.name == "builtins.sorted" else fact.value
        if value is not None and is_tensor(iterated(value)) and "key" not in fact.keywords:
            yield Report()
