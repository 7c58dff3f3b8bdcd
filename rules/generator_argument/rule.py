"""CS155: a generator passed to what draws in compiled code."""

from __future__ import annotations

import ast

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.values import instance_of

FUNCTIONS = "rand randn randint randperm normal multinomial bernoulli poisson"
METHODS = "normal_ uniform_ bernoulli_ exponential_ cauchy_ geometric_ log_normal_ multinomial"
GENERATOR = instance_of("torch.Generator")


class GeneratorArgument(CallRule):
    """A generator passed to what draws in compiled code."""

    code = "CS155"
    name = "generator-argument"
    summary = "a generator passed to what draws in compiled code"
    names = {
        **{f"torch.{name}": "" for name in FUNCTIONS.split()},
        **{f"torch.Tensor.{name}": "" for name in METHODS.split()},
    }
    message = "`{name}` with a generator"
    gb_ids = ("GB0055",)
    reason = "A generator cannot be put into a graph, so the graph ends here."
    help = "draw outside and pass the tensor, or draw from the default generator"

    def applies(self, fact: Fact) -> bool:
        """Where the generator is one, and not None."""
        return fact.keywords.get("generator") == GENERATOR and not is_left_open(fact)


def is_left_open(fact: Fact) -> bool:
    """Whether it is an argument of code that nothing here compiles: mostly None."""
    function = fact.site.function
    if not fact.site.assumed or function is None or not isinstance(fact.node, ast.Call):
        return False
    given = [k.value for k in fact.node.keywords if k.arg == "generator"]
    names = {name for name, _, _ in function.parameters}
    return any(isinstance(node, ast.Name) and node.id in names for node in given)
