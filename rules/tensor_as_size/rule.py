"""CS128: tensor data used as a size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown
from compilescope.lint.values import Value

FACTORIES = "zeros ones empty rand randn full eye randperm arange linspace tril_indices"
METHODS = "view reshape expand repeat narrow topk new_zeros new_ones new_empty unflatten tile"
SIZES = (
    *(f"call:torch.{name}" for name in FACTORIES.split()),
    *(f"call:torch.Tensor.{name}" for name in METHODS.split()),
    "call:builtins.range",
    "call:torch.nn.functional.pad",
    "call:torch.narrow",
    "call:torch.topk",
    "call:torch.nn.functional.interpolate",
)


def sizes_of(fact: Fact) -> Iterator[Value]:
    """The arguments of a call that are sizes."""
    owner, _, name = fact.name.rpartition(".")
    given = list(fact.arguments)
    if owner != "torch.Tensor" and name in ("pad", "interpolate", "narrow", "topk"):
        given = given[1:]
    if name in ("full", "pad", "interpolate"):
        given = given[:1]
    given += [v for k, v in fact.keywords.items() if k in ("size", "end", "start", "steps", "k")]
    for value in given:
        if value.kind == "tuple":
            yield from value.data
        elif value.kind == "list":
            yield value.data
        else:
            yield value


class TensorAsSize(Rule):
    """Tensor data used as a size."""

    code = "CS128"
    name = "tensor-as-size"
    summary = "tensor data used as a size"
    gb_ids = ("GB0219", "GB0033")
    reason = "Sizes must be known while the graph is built."
    help = "use a Python number; on shapes write `//` instead of `torch.div`"

    facts = tuple(SIZES)

    def __init__(self) -> None:
        self.used: dict[tuple[object, str], ast.AST] = {}

    def first_use(self, fact: Fact) -> bool:
        """Whether no earlier call read the same names: the number is known from then on."""
        if not isinstance(fact.node, ast.Call):
            return True
        parts = [*fact.node.args, *(k.value for k in fact.node.keywords)]
        names = {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
        function = fact.site.function
        seen = [self.used.setdefault((function, name), fact.node) for name in names]
        return not seen or any(node is fact.node for node in seen)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        for value in sizes_of(fact):
            certainty = certainty_of(value)
            if certainty and self.first_use(fact):
                yield Report(f"`{shown(fact)}`: tensor data used as a size", certainty=certainty)
                return
