"""CS106: a comparison that gives a Python bool."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import CallRule


class TensorEqual(CallRule):
    """A comparison that gives a Python bool."""

    code = "CS106"
    name = "tensor-equal"
    summary = "a comparison that gives a Python bool"
    names = {
        "torch.equal": "",
        "torch.allclose": "",
        "torch.Tensor.equal": "",
        "torch.Tensor.allclose": "",
        "torch.testing.assert_close": "",
        "torch.testing.assert_allclose": "",
        "torch.is_nonzero": "",
        "torch.Tensor.is_nonzero": "",
    }
    gb_ids = ("GB0033", "GB0170")
    reason = wording.EQUAL
    help = wording.USE_COMPARED
