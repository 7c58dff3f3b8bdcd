"""CS180: a recurrent module in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class RnnModule(CallRule):
    """A recurrent module in compiled code."""

    code = "CS180"
    name = "rnn-module"
    summary = "a recurrent module in compiled code"
    names = {f"torch.nn.{kind}.__call__": "" for kind in ("LSTM", "GRU", "RNN")}
    message = "a recurrent module in compiled code"
    gb_ids = ("GB0014",)
    severity = "eager"
    reason = (
        "The compiler does not wrap recurrent modules; the calling function falls back to eager."
    )
    help = "keep the module outside the compiled region, or set `torch._dynamo.config.allow_rnn`"
