"""CS105: an assertion function on tensor data."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.surroundings import is_statement
from compilescope.lint.values import is_tensor

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class TensorAssertCall(CallRule):
    """An assertion function on tensor data."""

    code = "CS105"
    name = "tensor-assert-call"
    summary = "an assertion function on tensor data"
    names = {
        "torch._assert": "<2.15",
        "torch._check_tensor_all": "",
        "torch._check": "",
        "torch._check_value": "",
        "torch._check_index": "",
    }
    gb_ids = ("GB0033", "GB0124")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = 'write `assert tensor, "message"`'

    def applies(self, fact: Fact) -> bool:
        """Checks of sizes are traced; only tensor data is not."""
        value = fact.argument(0, "cond")
        return value is not None and is_tensor(value)

    fixable = "unsafe"

    def can_fix(self, fact: Fact) -> bool:
        """A statement `torch._assert(tensor, "constant")`, which raises what `assert` raises."""
        call = fact.node
        if fact.name != "torch._assert" or not isinstance(call, ast.Call) or call.keywords:
            return False
        if len(call.args) != 2 or not isinstance(call.args[1], ast.Constant):
            return False
        return isinstance(call.args[1].value, str) and is_statement(fact)

    def fix(self, correction: Correction) -> None:
        """Write the statement."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call):
            correction.decline("the call is not written out")
        texts = [correction.text(argument.value) for argument in call.args]
        if any("\n" in text or "\r" in text for text in texts):
            correction.decline("the arguments stand on several lines")
        correction.statement()
        correction.replace(call, "assert " + ", ".join(texts))
