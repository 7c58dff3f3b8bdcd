"""CS198: ambient state that is not traced."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class AmbientState(CallRule):
    """Ambient state that is not traced."""

    code = "CS198"
    name = "ambient-state"
    summary = "ambient state that is not traced"
    names = {
        "torch.is_inference_mode_enabled": "",
        "contextvars.ContextVar.get": "<2.14",
        "contextvars.ContextVar.set": "",
        "contextvars.copy_context": "",
    }
    gb_ids = ("GB0156", "GB0046")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "read it outside and pass it in"
