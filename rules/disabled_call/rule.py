"""CS186: a call that is kept out of the compiler."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class DisabledCall(CallRule):
    """A call that is kept out of the compiler."""

    code = "CS186"
    name = "disabled-call"
    summary = "a call that is kept out of the compiler"
    names = {
        "torch.compiler.disable()": "",
        "torch._dynamo.disable()": "",
        "torch._dynamo.decorators.disable()": "",
    }
    message = "call of a function that is kept out of the compiler"
    gb_ids = ("GB0098",)
    reason = "A disabled function always ends the graph at its call."
    help = "call it outside, or make it a `torch.library.custom_op`"
