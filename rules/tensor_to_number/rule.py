"""CS121: tensor data becomes a Python number by conversion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope import wording
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown
from compilescope.lint.uses import has_no_dimensions, is_only_checked, meets_tensors

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class TensorToNumber(Rule):
    """Tensor data becomes a Python number by conversion."""

    code = "CS121"
    name = "tensor-to-number"
    summary = "tensor data becomes a Python number by conversion"
    captured = True
    gb_ids = ("GB0124", "GB0033")
    reason = wording.ITEM
    help = wording.USE_TENSOR

    fixable = "unsafe"
    facts = ("call:builtins.int", "call:builtins.float", "call:builtins.complex")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        value = fact.argument(0)
        if value is None:
            return
        certainty = certainty_of(value)
        if certainty:
            fixable = stays(fact) or is_only_checked(fact, target)
            fix: Literal["unsafe", ""] = "unsafe" if fixable else ""
            message = f"`{shown(fact)}()` turns tensor data into a Python number"
            yield Report(message, certainty=certainty, fix=fix)

    def fix(self, correction: Correction) -> None:
        """Keep the tensor; its value had no gradient."""
        import libcst as cst

        from compilescope.lint.checking import write_checks

        call = correction.node
        if not isinstance(call, cst.Call) or len(call.args) != 1 or call.args[0].star:
            correction.decline("the call is not written out")
        if write_checks(correction):
            return
        value = correction.text(call.args[0].value, operand=True)
        correction.replace(call, f"{value}.detach()")


def stays(fact: Fact) -> bool:
    """Whether a tensor without dimensions can stand for the number."""
    value = fact.arguments[0] if len(fact.arguments) == 1 else None
    if value is None or fact.keywords or not has_no_dimensions(value):
        return False
    whole = fact.name == "builtins.float" or (fact.name == "builtins.int" and value.data == "int")
    return whole and meets_tensors(fact)
