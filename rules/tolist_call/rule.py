"""CS123: tolist turns tensor data into Python numbers."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class TolistCall(CallRule):
    """Tolist turns tensor data into Python numbers."""

    code = "CS123"
    name = "tolist-call"
    summary = "tolist turns tensor data into Python numbers"
    names = {
        "torch.Tensor.tolist": "",
    }
    message = "`.tolist()` turns tensor data into Python numbers"
    gb_ids = ("GB0109", "GB0033")
    reason = "The values exist only when the graph runs."
    help = "keep the tensor, or compute the numbers in Python"
