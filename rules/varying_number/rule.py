"""CS211: a number argument that differs from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope import wording
from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import Value, may_be_tensor

VARYING = Value("number", "varying")
OPTIONS = (
    *(f"math.{name}" for name in "sqrt floor ceil exp log pow sin cos".split()),
    *(f"torch.nn.functional.{name}" for name in "dropout gelu leaky_relu elu softplus".split()),
)


class VaryingNumber(Rule):
    """A number argument that differs from call to call."""

    code = "CS211"
    name = "varying-number"
    summary = "a number argument that differs from call to call"
    severity = "bounded"
    reason = f"A number {wording.CONSTANT_FIRST}"
    help = wording.USE_0D.format("the number")

    facts = ("operator", "branch", *(f"call:{name}" for name in OPTIONS))

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key.startswith("call:"):
            values = [*fact.arguments, *fact.keywords.values()]
            if any(v == VARYING for v in values):
                message = "a number that differs from call to call is an option of an operator"
                yield Report(message, severity="limit", reason=wording.NEEDS_NUMBER)
        elif fact.key == "branch":
            if fact.value == VARYING:
                message = "a branch on a number that differs from call to call"
                yield Report(message, severity="limit")
        else:
            sides = (fact.value, fact.other)
            if VARYING in sides and any(map(may_be_tensor, sides)):
                yield Report(severity="bounded")
