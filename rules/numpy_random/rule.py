"""CS151: NumPy random numbers in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule, Fact

ARRAYS = {
    **dict.fromkeys(("rand", "randn", "random", "random_sample"), 0),
    **dict.fromkeys(("randint", "uniform", "normal"), 2),
}


class NumpyRandom(CallRule):
    """NumPy random numbers in compiled code."""

    code = "CS151"
    name = "numpy-random"
    summary = "NumPy random numbers in compiled code"
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
