"""CS129: a tensor indexed by a 0-d tensor."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.values import SCALAR, is_tensor


class ScalarTensorIndex(Rule):
    """A tensor indexed by a 0-d tensor."""

    code = "CS129"
    name = "scalar-tensor-index"
    summary = "a tensor indexed by a 0-d tensor"
    gb_ids = ("GB0219", "GB0033")
    reason = "Indexing by a 0-d tensor reads its value like `.item()`."
    help = "use `x.index_select(0, i.reshape(1)).squeeze(0)`"

    facts = ("index", "store-index")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if not is_tensor(fact.value):
            return
        for part in fact.other.data if fact.other.kind == "tuple" else (fact.other,):
            if part.kind == "tensor" and part.note & SCALAR and part.data != "bool":
                yield Report(certainty=certainty_of(part))
                return
