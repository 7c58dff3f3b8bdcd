"""CS128: tensor data used as a size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown
from compilescope.lint.values import Value


def bare_names(nodes: list[ast.expr]) -> Iterator[str]:
    """Names that stand for themselves, not for something looked up on them."""
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.BinOp):
            yield from bare_names([node.left, node.right])
        elif isinstance(node, ast.Tuple | ast.List):
            yield from bare_names(node.elts)


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


def sizes_of(fact: Fact) -> Iterator[tuple[ast.expr | None, Value]]:
    """The arguments of a call that are sizes, with their expressions where they stand alone."""
    owner, _, name = fact.name.rpartition(".")
    nodes: list[ast.expr | None] = []
    if isinstance(fact.node, ast.Call) and len(fact.node.args) == len(fact.arguments):
        nodes.extend(fact.node.args)
    else:
        nodes.extend([None] * len(fact.arguments))
    given = list(zip(nodes, fact.arguments, strict=True))
    if owner != "torch.Tensor" and name in ("pad", "interpolate", "narrow", "topk"):
        given = given[1:]
    if name in ("full", "pad", "interpolate"):
        given = given[:1]
    if name == "linspace":
        given = given[2:]
    given += [(None, v) for k, v in fact.keywords.items() if k in ("size", "steps", "k")]
    for node, value in given:
        if value.kind == "tuple":
            parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
            exact = len(parts) == len(value.data)
            yield from zip(parts if exact else [node] * len(value.data), value.data, strict=True)
        else:
            yield node, value.data if value.kind == "list" else value


class TensorAsSize(Rule):
    """Tensor data used as a size."""

    code = "CS128"
    name = "tensor-as-size"
    summary = "tensor data used as a size"
    captured = True
    gb_ids = ("GB0219", "GB0033")
    reason = "Sizes must be known while the graph is built."
    help = "use a Python number; on shapes write `//` instead of `torch.div`"

    facts = tuple(SIZES)

    def __init__(self) -> None:
        self.used: dict[tuple[object, str], ast.AST] = {}

    def first_use(self, fact: Fact, node: ast.expr | None) -> bool:
        """Whether no earlier call read the same name: the number is known from then on."""
        names = set(bare_names([node])) if node is not None else set()
        function = fact.site.function
        if function is not None and not fact.site.root:
            spec = function.node.args
            if names & {a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}:
                return False  # the caller has the number already, or used it first
        if any(fact.site.born.get(name, fact.epoch) < fact.epoch for name in names):
            return False  # after a break it is an input of the next graph, and may be read
        seen = [self.used.setdefault((function, name), fact.node) for name in names]
        return not seen or any(node is fact.node for node in seen)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        for node, value in sizes_of(fact):
            certainty = certainty_of(value)
            if certainty and self.first_use(fact, node):
                yield Report(f"`{shown(fact)}`: tensor data used as a size", certainty=certainty)
                return
