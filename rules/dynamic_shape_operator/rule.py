"""CS140: the size of the result depends on the data."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class DynamicShapeOperator(CallRule):
    """The size of the result depends on the data."""

    code = "CS140"
    name = "dynamic-shape-operator"
    summary = "the size of the result depends on the data"
    names = {
        "torch.nonzero": "",
        "torch.argwhere": "",
        "torch.masked_select": "",
        "torch.unique": "",
        "torch.unique_consecutive": "",
        "torch.bincount": "",
        "torch.combinations": "<2.14",
        "torch._unique2": "",
        "torch.flatnonzero": "",
        "torch.Tensor.nonzero": "",
        "torch.Tensor.argwhere": "",
        "torch.Tensor.masked_select": "",
        "torch.Tensor.unique": "",
        "torch.Tensor.unique_consecutive": "",
        "torch.Tensor.bincount": "",
        "torch.nn.functional.ctc_loss": "",
        "torch.nn.AdaptiveLogSoftmaxWithLoss.__call__": "",
        "torch.nn.CTCLoss.__call__": "",
    }
    message = "`{name}`: the size of the result depends on the data"
    gb_ids = ("GB0036",)
    reason = (
        "A graph is built from sizes; this operator's output size is known only when it has run."
    )
    help = (
        "keep a mask of fixed size, or set `torch._dynamo.config.capture_dynamic_output_shape_ops`"
    )
