"""CS302: a tensor made from constants on every call."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import Value


def all_constant(value: Value) -> bool:
    """Whether the elements are numbers written in the source."""
    return value.kind == "tuple" and all(v.kind == "const" for v in value.data)


class ConstantTensor(Rule):
    """A tensor made from constants on every call."""

    code = "CS302"
    name = "constant-tensor"
    summary = "a tensor made from constants on every call"
    severity = "note"
    pedantic = True
    reason = "The constant is copied to the device on each call."
    help = "make it a buffer"

    facts = ("call:torch.tensor",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0)
        if value is not None and value.kind in ("list", "tuple") and all_constant(value):
            yield Report()
