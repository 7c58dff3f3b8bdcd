"""CS140: the size of the result depends on the data."""

from __future__ import annotations

from compilescope.lint.rule import CallRule
from compilescope.lint.torch_facts import DYNAMIC_OUTPUT
from compilescope.lint.torch_table import FUNCTIONS, METHODS

OF_OTHER_RULES = ("index", "one_hot", "repeat_interleave")


def tagged() -> dict[str, str]:
    """What torch itself marks: the public functions and methods with such an operator's name."""
    names = {}
    for operator, versions in DYNAMIC_OUTPUT.items():
        if operator in OF_OTHER_RULES:
            continue
        if operator in FUNCTIONS:
            names[f"torch.{operator}"] = versions
        if operator in METHODS:
            names[f"torch.Tensor.{operator}"] = versions
        if operator.startswith("linalg_"):
            names[f"torch.linalg.{operator.removeprefix('linalg_')}"] = versions
    return names


class DynamicShapeOperator(CallRule):
    """The size of the result depends on the data."""

    code = "CS140"
    name = "dynamic-shape-operator"
    summary = "the size of the result depends on the data"
    names = {
        **tagged(),
        # what calls one of these inside
        "torch.unique": "",
        "torch.Tensor.unique": "",
        "torch._unique2": "",
        "torch.Tensor.unique_consecutive": "",
        "torch.flatnonzero": "",
        "torch.combinations": "<2.14",
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
