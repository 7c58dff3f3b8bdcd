"""CS172: a tensor changed into another one in place."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class MetadataMutation(CallRule):
    """A tensor changed into another one in place."""

    code = "CS172"
    name = "metadata-mutation"
    summary = "a tensor changed into another one in place"
    names = {
        "torch.Tensor.set_": "",
        "torch.Tensor.resize_": "",
        "torch.Tensor.resize_as_": "",
        "torch.Tensor.apply_": "",
        "torch.Tensor.map_": "",
        "torch.Tensor.swap_": "",
        "torch.resize_as_": "",
        "torch.resize_as_sparse_": "",
        "torch.utils.swap_tensors": "",
    }
    gb_ids = ("GB0148", "GB0126", "GB0055")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "make a new tensor, or write values with `copy_`"
