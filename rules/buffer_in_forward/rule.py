"""CS217: a buffer registered in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class BufferInForward(Rule):
    """A buffer registered in compiled code."""

    code = "CS217"
    name = "buffer-in-forward"
    summary = "a buffer registered in compiled code"
    severity = "bounded"
    reason = "The set of buffers changes, and it is guarded."
    help = "register it in `__init__`"

    facts = ("call:torch.nn.Module.register_buffer",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        del fact
        yield Report()
