"""CS160: backward in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class BackwardCall(CallRule):
    """Backward in compiled code."""

    code = "CS160"
    name = "backward-call"
    summary = "backward in compiled code"
    names = {
        "torch.Tensor.backward": "",
        "torch.autograd.backward": "",
    }
    gb_ids = ("GB0123",)
    reason = "The backward pass is built from the forward graph; calling it inside ends that graph."
    help = "compile forward and loss only; call `backward()` outside"
