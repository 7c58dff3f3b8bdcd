"""CS151: NumPy random numbers in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.uses import meets_tensors

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction

ARRAYS = {
    **dict.fromkeys(("rand", "randn", "random", "random_sample"), 0),
    **dict.fromkeys(("randint", "uniform", "normal"), 2),
}

DRAWN = {
    "rand": "torch.rand",
    "random": "torch.rand",
    "random_sample": "torch.rand",
    "randn": "torch.randn",
    "standard_normal": "torch.randn",
}


class NumpyRandom(CallRule):
    """NumPy random numbers in compiled code."""

    code = "CS151"
    name = "numpy-random"
    summary = "NumPy random numbers in compiled code"
    fixable = "unsafe"
    names = {
        "numpy.random.rand": "",
        "numpy.random.randn": "",
        "numpy.random.randint": "",
        "numpy.random.random": "",
        "numpy.random.uniform": "",
        "numpy.random.normal": "",
        "numpy.random.choice": "",
        "numpy.random.permutation": "",
        "numpy.random.shuffle": "",
        "numpy.random.default_rng": "",
        "numpy.random.random_sample": "",
        "numpy.random.beta": "",
        "numpy.random.gamma": "",
        "numpy.random.binomial": "",
        "numpy.random.poisson": "",
        "numpy.random.multinomial": "",
        "numpy.random.standard_normal": "",
        "numpy.random.exponential": "",
        "numpy.random.get_state": "",
        "numpy.random.set_state": "",
        "numpy.random.RandomState": "",
        "numpy.random.Generator": "",
    }
    gb_ids = ("GB0033", "GB0156", "GB0294")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "draw with torch"

    def applies(self, fact: Fact) -> bool:
        """Arrays of random numbers are traced; single numbers are data."""
        name = fact.name.rpartition(".")[2]
        before = ARRAYS.get(name)
        if before is None:
            return True
        return len(fact.arguments) <= before and "size" not in fact.keywords

    def can_fix(self, fact: Fact) -> bool:
        """One number of the standard distributions, that is only combined with tensors."""
        plain = not fact.arguments and not fact.keywords
        return plain and fact.name.rpartition(".")[2] in DRAWN and meets_tensors(fact)

    def fix(self, correction: Correction) -> None:
        """Draw a tensor without dimensions."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            correction.decline("the function is imported by its name")
        function = DRAWN[call.func.attr.value]
        correction.replace(call, f"{correction.name(function)}(())")
