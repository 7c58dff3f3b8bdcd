"""CS122: a function of math on tensor data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.uses import has_no_dimensions, meets_tensors

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction

FUNCTIONS = (
    "sqrt floor ceil exp log log2 log10 log1p expm1 pow sin cos tan asin acos atan atan2 sinh "
    "cosh tanh isnan isinf isfinite isclose erf gamma lgamma fabs fmod hypot trunc copysign prod "
    "fsum degrees radians"
)

# torch has these under the same name, and they give floats
SAME = frozenset(
    "sqrt exp expm1 exp2 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh erf".split()
)


class MathFunction(Rule):
    """A function of math on tensor data."""

    code = "CS122"
    name = "math-function"
    summary = "a function of math on tensor data"
    gb_ids = ("GB0033",)
    reason = wording.MATH
    help = wording.USE_TORCH

    fixable = "unsafe"
    facts = tuple(f"call:math.{name}" for name in FUNCTIONS.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        for value in fact.arguments:
            certainty = certainty_of(value)
            if certainty:
                alone = len(fact.arguments) == 1 and fact.name.removeprefix("math.") in SAME
                stays = alone and has_no_dimensions(value) and meets_tensors(fact)
                message = f"`{fact.name}` of tensor data"
                yield Report(message, certainty=certainty, fix="unsafe" if stays else "")
                return

    def fix(self, correction: Correction) -> None:
        """Call the function of torch; the value had no gradient."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call) or len(call.args) != 1 or call.args[0].star:
            correction.decline("the call is not written out")
        name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
        if not isinstance(name, cst.Name) or name.value not in SAME:
            correction.decline("the function has another name here")
        function = correction.name(f"torch.{name.value}")
        value = correction.text(call.args[0].value, operand=True)
        correction.replace(call, f"{function}({value}.detach())")
