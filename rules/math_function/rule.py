"""CS122: a function of math on tensor data."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of

FUNCTIONS = (
    "sqrt floor ceil exp log log2 log10 log1p expm1 pow sin cos tan asin acos atan atan2 sinh "
    "cosh tanh isnan isinf isfinite isclose erf gamma lgamma fabs fmod hypot trunc copysign prod "
    "fsum degrees radians"
)


class MathFunction(Rule):
    """A function of math on tensor data."""

    code = "CS122"
    name = "math-function"
    summary = "a function of math on tensor data"
    gb_ids = ("GB0033",)
    reason = "`math` takes Python numbers, so it asks for the value while the graph is built."
    help = "use the torch function of the same name"

    facts = tuple(f"call:math.{name}" for name in FUNCTIONS.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        for value in fact.arguments:
            certainty = certainty_of(value)
            if certainty:
                yield Report(f"`{fact.name}` of tensor data", certainty=certainty)
                return
