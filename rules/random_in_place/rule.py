"""CS173: Tensor.random_ in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class RandomInPlace(CallRule):
    """Tensor.random_ in compiled code."""

    code = "CS173"
    name = "random-in-place"
    summary = "Tensor.random_ in compiled code"
    names = {
        "torch.Tensor.random_": "",
    }
    gb_ids = ("GB0107",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "use `torch.randint_like`"
