"""CS153: Python needs the value of a number that is drawn in the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Severity, Versions, shown
from compilescope.lint.surroundings import is_test
from compilescope.lint.values import UNKNOWN, Value

READS = ("int", "float", "round", "str", "divmod", "sum", "range")
FACTORIES = "zeros ones empty rand randn full eye randperm arange roll narrow topk full_like"
METHODS = (
    "view reshape expand repeat narrow topk new_zeros new_ones new_empty unflatten tile roll "
    "split chunk"
)
OPTIONS = "dropout dropout1d dropout2d dropout3d alpha_dropout pad interpolate"
MATH = "sqrt exp log log2 log10 pow sin cos tan floor ceil"


class DrawnNumber(Rule):
    """Python needs the value of a number that is drawn in the graph."""

    code = "CS153"
    name = "drawn-number"
    summary = "Python needs the value of a number that is drawn in the graph"
    gb_ids = ("GB0213", "GB0178")
    reason = "A number that `random` draws is an input of the graph, known only when it runs."
    help = "draw with torch and index with `index_select`, or draw before the compiled call"

    facts = (
        *("operator", "compare", "index"),
        *(f"call:builtins.{name}" for name in READS),
        *(f"call:torch.{name}" for name in FACTORIES.split()),
        *(f"call:torch.Tensor.{name}" for name in METHODS.split()),
        *(f"call:torch.nn.functional.{name}" for name in OPTIONS.split()),
        *(f"call:math.{name}" for name in MATH.split()),
    )

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        if not reads(fact) or not is_unknown(fact):
            return
        if fact.key == "index":
            yield Report("a sequence indexed by a drawn number")
        elif fact.key in ("operator", "compare"):
            yield Report("Python arithmetic with a drawn number")
        elif not fact.name.startswith("math."):
            yield Report(f"`{shown(fact)}` of a drawn number")
        elif target[0] <= (2, 13) <= target[1]:  # measured; torch 2.11 draws and computes
            severity: Severity = "raises"
            yield Report(f"`{fact.name}` of a drawn number", severity=severity)


def is_drawn(value: Value) -> bool:
    """Whether a number is drawn by a function of `random` that is traced."""
    return value.kind == "number" and value.data == "drawn"


def reads(fact: Fact) -> bool:
    """Whether the compiler must know the number here."""
    if fact.key == "operator":
        sides = (fact.value, fact.other)
        plain = all(v.kind in ("number", "const", "string") for v in sides)
        return plain and any(map(is_drawn, sides))
    if fact.key == "compare":
        return any(map(is_drawn, (fact.value, fact.other))) and not is_test(fact)
    if fact.key == "index":
        parts = fact.other.data if fact.other.kind == "tuple" else (fact.other,)
        bounds = [b for p in parts for b in (p.data if p.kind == "slice" else (p,))]
        return fact.value.kind != "dict" and any(map(is_drawn, bounds))
    given = [*fact.arguments, *fact.keywords.values()]
    if fact.name == "torch.full":
        given = given[:1]  # what it is filled with may be an input
    inner = [v for value in given for v in (value.data if value.kind == "tuple" else (value,))]
    return any(map(is_drawn, inner))


def is_unknown(fact: Fact) -> bool:
    """Whether no break since it was drawn has made the number a constant."""
    names = {n.id for n in ast.walk(fact.node) if isinstance(n, ast.Name)}
    drawn = [name for name in names if is_drawn(fact.frame.env.get(name, UNKNOWN))]
    born = fact.site.born
    return not drawn or any(born.get(name, fact.epoch) >= fact.epoch for name in drawn)
