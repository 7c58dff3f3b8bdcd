"""CS151: NumPy random numbers in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


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
        "numpy.random.seed": "",
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
