"""CS170: memory addresses in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class StorageAccess(CallRule):
    """Memory addresses in compiled code."""

    code = "CS170"
    name = "storage-access"
    summary = "memory addresses in compiled code"
    names = {
        "torch.Tensor.data_ptr": "",
        "torch.Tensor.storage": "",
        "torch.Tensor.untyped_storage": "",
        "torch.Tensor.share_memory_": "",
        "torch.Tensor.__dlpack__": "",
        "torch.utils.dlpack.to_dlpack": "",
        "torch.utils.dlpack.from_dlpack": "",
        "torch.to_dlpack": "",
        "torch.from_dlpack": "",
        "ctypes.c_void_p": "",
    }
    gb_ids = ("GB0088", "GB5976", "GB0156", "GB0117", "GB0007")
    reason = "Tensors have no memory while the graph is built."
    help = "compare with `is`, or wrap it into a `torch.library.custom_op`"
