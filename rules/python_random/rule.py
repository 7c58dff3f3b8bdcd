"""CS150: Python random numbers in compiled code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


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
    fixable = "safe"

    def can_fix(self, fact: Fact) -> bool:
        """`random.random()`, for which another function of the module gives the same stream."""
        node = fact.node
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        return named and fact.name == "random.random"

    def fix(self, correction: Correction) -> None:
        """Draw the same number with the function that is traced."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            correction.decline("the function is imported by its name")
        correction.replace(call, f"{correction.text(call.func.value)}.uniform(0.0, 1.0)")
