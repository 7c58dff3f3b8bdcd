"""CS161: torch.autograd.grad in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class AutogradGrad(CallRule):
    """Torch.autograd.grad in compiled code."""

    code = "CS161"
    name = "autograd-grad"
    summary = "torch.autograd.grad in compiled code"
    names = {
        "torch.autograd.grad": "",
        "torch.autograd.functional.jacobian": "",
        "torch.autograd.functional.hessian": "",
        "torch.autograd.functional.vjp": "",
        "torch.autograd.functional.jvp": "",
    }
    gb_ids = ("GB9186",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "use `torch.func.grad`"
