"""CS141: elements selected by a boolean mask."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.lint.masking import can_cover
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, worst
from compilescope.lint.values import tensor_part

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class BooleanMaskRead(Rule):
    """Elements selected by a boolean mask."""

    code = "CS141"
    name = "boolean-mask-read"
    summary = "elements selected by a boolean mask"
    captured = True
    gb_ids = ("GB0036",)
    reason = wording.SELECTED
    help = wording.USE_MASK

    fixable = "unsafe"
    facts = ("index",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if tensor_part(fact.value) is None and fact.value.kind != "unknown":
            return
        for part in fact.other.data if fact.other.kind == "tuple" else (fact.other,):
            mask = tensor_part(part)
            if mask is None:
                continue
            named = "mask" in ast.unparse(fact.node.slice).lower()  # type: ignore[attr-defined]
            if mask.data == "bool" or (not mask.data and named and fact.value.kind != "unknown"):
                certainty = worst(certainty_of(part), certainty_of(fact.value) or "likely")
                if not mask.data and certainty == "certain":
                    certainty = "likely"
                yield Report(certainty=certainty, fix="unsafe" if can_cover(fact) else "")
                return

    def fix(self, correction: Correction) -> None:
        """Choose over the whole tensor."""
        from compilescope.lint.masking import cover

        cover(correction)
