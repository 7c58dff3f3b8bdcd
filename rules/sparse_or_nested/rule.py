"""CS171: sparse or nested tensors in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule, Fact


class SparseOrNested(CallRule):
    """Sparse or nested tensors in compiled code."""

    code = "CS171"
    name = "sparse-or-nested"
    summary = "sparse or nested tensors in compiled code"
    names = {
        "torch.Tensor.to_sparse": "",
        "torch.Tensor.to_sparse_csr": "",
        "torch.Tensor.to_sparse_csc": "",
        "torch.Tensor.to_sparse_coo": "",
        "torch.Tensor.to_sparse_bsr": "",
        "torch.Tensor.coalesce": "",
        "torch.Tensor.to_mkldnn": "",
        "torch.sparse_coo_tensor": "",
        "torch.sparse_csr_tensor": "",
        "torch._nested_tensor_from_mask": "",
        "torch.sparse.mm": "",
        "torch.nested.nested_tensor": "",
        "torch.nested.as_nested_tensor": "",
    }
    gb_ids = ("GB0277", "GB0016", "GB0015", "GB0090")
    severity = "eager"
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "use dense or jagged tensors"

    def applies(self, fact: Fact) -> bool:
        """Jagged nested tensors are traced."""
        return "layout" not in fact.keywords
