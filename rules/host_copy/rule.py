"""CS301: a tensor copied to the host in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class HostCopy(Rule):
    """A tensor copied to the host in compiled code."""

    code = "CS301"
    name = "host-copy"
    summary = "a tensor copied to the host in compiled code"
    severity = "note"
    pedantic = True
    reason = "Copying to the host waits for the device."
    help = "copy outside the compiled function"

    facts = ("call:torch.Tensor.cpu", "call:torch.Tensor.to")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        to_cpu = any(v.kind == "const" and v.data == "cpu" for v in fact.arguments)
        if fact.name.endswith(".to") and not to_cpu:
            return
        yield Report(certainty=certainty_of(fact.value))
