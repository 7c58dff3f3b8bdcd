"""CS123: tolist turns tensor data into Python numbers."""

from __future__ import annotations

from compilescope import wording
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
    captured = True
    gb_ids = ("GB0109", "GB0033")
    reason = wording.LIST
    help = wording.USE_OFFSETS
