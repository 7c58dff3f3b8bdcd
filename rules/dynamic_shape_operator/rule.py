"""CS140: the size of the result depends on the data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compilescope import wording
from compilescope.lint.rule import CallRule, Fact, Report, Versions
from compilescope.lint.torch_facts import DYNAMIC_OUTPUT
from compilescope.lint.torch_table import FUNCTIONS, METHODS

SELECTS = re.compile(r"nonzero|argwhere|masked_select")
COUNTS = re.compile(r"unique|bincount")
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
    captured = True
    gb_ids = ("GB0036",)
    reason = (
        "A graph is built from sizes; this operator's output size is known only when it has run."
    )
    help = (
        "keep a mask of fixed size, or set `torch._dynamo.config.capture_dynamic_output_shape_ops`"
    )

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the call; counting has another way out than selecting."""
        for report in super().check(fact, target):
            if COUNTS.search(fact.name):
                report.reason, report.help = wording.COUNTED, wording.USE_FIXED_BINS
            elif SELECTS.search(fact.name):
                report.reason, report.help = wording.SELECTED, wording.USE_MASK
            yield report
