"""CS189: parameters made in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

KINDS = (
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d Embedding LayerNorm BatchNorm1d "
    "BatchNorm2d GroupNorm LSTM GRU RNN MultiheadAttention Bilinear PReLU EmbeddingBag"
)


class ParameterInForward(Rule):
    """Parameters made in compiled code."""

    code = "CS189"
    name = "parameter-in-forward"
    summary = "parameters made in compiled code"
    gb_ids = ("GB0264", "GB8977")
    reason = "Making parameters is not traced."
    help = "construct it in `__init__`"

    facts = ("call:torch.nn.Parameter", *(f"call:torch.nn.{kind}" for kind in KINDS.split()))

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        name = fact.name.rpartition(".")[2]
        yield Report(f"`nn.{name}` is made anew on every call")
