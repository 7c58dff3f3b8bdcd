"""CS185: copying objects in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.values import Value, contains_tensor, is_tensor


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

    def applies(self, fact: Fact) -> bool:
        """Plain configurations are copied while tracing; tensors and containers are not."""
        value = fact.argument(0)
        if value is None:
            return False
        if fact.name == "copy.copy":
            return value.kind in ("dict", "list", "tuple") or is_tensor(value)
        return holds_tensor(value)
