"""CS150: Python random numbers in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class PythonRandom(CallRule):
    """Python random numbers in compiled code."""

    code = "CS150"
    name = "python-random"
    summary = "Python random numbers in compiled code"
    names = {
        "random.random": "<2.14",
        "random.shuffle": "<2.14",
        "random.sample": "<2.14",
        "random.seed": "<2.14",
        "random.choice": "",
        "random.choices": "",
        "random.gauss": "",
        "random.normalvariate": "",
        "random.betavariate": "",
        "random.expovariate": "",
        "random.getrandbits": "",
        "random.triangular": "",
        "random.lognormvariate": "",
        "random.vonmisesvariate": "",
        "random.getstate": "",
        "random.setstate": "",
    }
    gb_ids = ("GB0007",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "draw with torch, or before the compiled call"
