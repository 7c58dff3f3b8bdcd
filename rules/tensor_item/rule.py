"""CS120: tensor data becomes a Python number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope import wording
from compilescope.lint.indexing import is_picked
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.uses import has_no_dimensions, is_only_checked, meets_tensors

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class TensorItem(Rule):
    """Tensor data becomes a Python number."""

    code = "CS120"
    name = "tensor-item"
    summary = "tensor data becomes a Python number"
    captured = True
    gb_ids = ("GB0124",)
    reason = wording.ITEM
    help = wording.USE_TENSOR

    fixable = "unsafe"
    facts = ("call:torch.Tensor.item",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        message = "`.item()` turns tensor data into a Python number"
        stays = has_no_dimensions(fact.value) and (meets_tensors(fact) or is_picked(fact))
        fixable = stays or is_only_checked(fact, target)
        fix: Literal["unsafe", ""] = "unsafe" if fixable else ""
        yield Report(message, certainty=certainty_of(fact.value), fix=fix)

    def fix(self, correction: Correction) -> None:
        """Keep the tensor; its value had no gradient."""
        import libcst as cst

        from compilescope.lint.checking import write_checks
        from compilescope.lint.indexing import pick

        call = correction.node
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            correction.decline("the call is not written out")
        if write_checks(correction):
            return
        if not pick(correction, call, call.func.value):
            value = correction.text(call.func.value, operand=True)
            correction.replace(call, f"{value}.detach()")
