"""CS185: copying objects in compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact, Report, Versions, holds
from compilescope.lint.values import Value, contains_tensor, is_tensor

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


def holds_tensor(value: Value) -> bool:
    """Whether tensor data is in a value, its items or its attributes."""
    if value.kind == "instance":
        return any(contains_tensor(v) for v in value.data.attributes.values())
    return contains_tensor(value)


class DeepCopy(CallRule):
    """Copying objects in compiled code."""

    code = "CS185"
    name = "deep-copy"
    summary = "copying objects in compiled code"
    names = {
        "copy.deepcopy": "",
        "copy.copy": "",
        "dataclasses.asdict": "",
        "dataclasses.astuple": "",
    }
    gb_ids = ("GB4198", "GB0007")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "`clone()` tensors; use `.copy()` of the container"

    fixable = "unsafe"

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report what is not traced; torch 2.11 traces no deep copy at all."""
        found = list(super().check(fact, target))
        if not found and fact.name == "copy.deepcopy" and holds("<2.12", target):
            found = [Report(self.message.format(name=fact.name), gb_ids=("GB0179",))]
        yield from found

    def applies(self, fact: Fact) -> bool:
        """Plain configurations are copied while tracing; tensors and containers are not."""
        value = fact.argument(0)
        if value is None:
            return False
        if fact.name == "copy.copy":
            return value.kind in ("dict", "list", "tuple") or is_tensor(value)
        return holds_tensor(value)

    def can_fix(self, fact: Fact) -> bool:
        """One tensor, or a plain dictionary or list."""
        value = fact.argument(0)
        if value is None or len(fact.arguments) != 1 or fact.keywords:
            return False
        if is_tensor(value):
            return fact.name == "copy.deepcopy"
        return fact.name == "copy.copy" and value.kind in ("dict", "list") and value.note != "range"

    def fix(self, correction: Correction) -> None:
        """Use the method that copies."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call) or len(call.args) != 1:
            correction.decline("the call is not written out")
        value = correction.text(call.args[0].value, operand=True)
        name = correction.text(call.func).rpartition(".")[2]
        if name not in ("deepcopy", "copy"):
            correction.decline("the function has another name here")
        correction.replace(call, f"{value}.clone()" if name == "deepcopy" else f"{value}.copy()")
