"""CS105: an assertion function on tensor data."""

from __future__ import annotations

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.values import is_tensor


class TensorAssertCall(CallRule):
    """An assertion function on tensor data."""

    code = "CS105"
    name = "tensor-assert-call"
    summary = "an assertion function on tensor data"
    names = {
        "torch._assert": "",
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
