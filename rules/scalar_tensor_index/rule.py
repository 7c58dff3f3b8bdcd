"""CS129: a tensor indexed by a 0-d tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope.lint.indexing import is_only_index
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.values import SCALAR, is_tensor

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class ScalarTensorIndex(Rule):
    """A tensor indexed by a 0-d tensor."""

    code = "CS129"
    name = "scalar-tensor-index"
    summary = "a tensor indexed by a 0-d tensor"
    gb_ids = ("GB0219", "GB0033")
    reason = "Indexing by a 0-d tensor reads its value like `.item()`."
    help = "use `x.index_select(0, i.reshape(1)).squeeze(0)`"

    fixable = "unsafe"
    facts = ("index", "store-index")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if not is_tensor(fact.value):
            return
        for part in fact.other.data if fact.other.kind == "tuple" else (fact.other,):
            if part.kind == "tensor" and part.note & SCALAR and part.data != "bool":
                fix: Literal["unsafe", ""] = "unsafe" if is_only_index(fact, part) else ""
                yield Report(certainty=certainty_of(part), fix=fix)
                return

    def fix(self, correction: Correction) -> None:
        """Select along the first dimension."""
        import libcst as cst

        from compilescope.lint.indexing import select

        if not isinstance(correction.node, cst.Subscript):
            correction.decline("the index is not written out")
        select(correction, correction.node)
