"""CS124: tensor data becomes text."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Certainty, Fact, Report, Rule, Versions, certainty_of
from compilescope.lint.values import Value, contains_tensor, element, late_text, tensor

_READERS = ("len", "int", "float", "ord", "hash", "sorted", "list", "tuple", "set", "iter")
_SHOWS = ("builtins.str", "builtins.repr", "builtins.format")


class TensorText(Rule):
    """Tensor data becomes text.

    An f-string and `str.format` wait until the graph has run; what reads their text does not.
    """

    code = "CS124"
    name = "tensor-text"
    summary = "tensor data becomes text"
    gb_ids = ("GB0059", "GB0088")
    reason = "Text needs the value while the graph is built."
    help = "build the text outside"

    facts = (
        "format",
        "operator",
        "compare",
        "index",
        "iterate",
        "call:builtins.const.join",
        *(f"call:{name}" for name in _SHOWS),
        *(f"call:builtins.{name}" for name in _READERS),
        *(f"call:builtins.string.{name}" for name in dir(str) if not name.startswith("_")),
    )

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.machine.quiet:  # the call that takes the text is reported
            return
        certainty = shown(fact) or read(fact)
        if certainty:
            yield Report(certainty=certainty)


def shown(fact: Fact) -> Certainty | None:
    """How sure it is that a tensor's value is written out here."""
    if fact.key == "format":
        return certainty_of(fact.value)
    if fact.name in _SHOWS:
        value = fact.argument(0)
        return certainty_of(value) if value is not None else None
    if fact.detail in ("Mod", "iMod") and is_text(fact.value) and contains_tensor(fact.other):
        return certainty_of(fact.other) or "certain"
    return None


def read(fact: Fact) -> Certainty | None:
    """How sure it is that the text of a tensor is needed here."""
    values = [*fact.arguments[:1]]
    if fact.key in ("operator", "index", "iterate") or fact.name.startswith("builtins.string."):
        values.append(fact.value)
    if fact.key == "operator" or (fact.key == "compare" and fact.detail not in ("Is", "IsNot")):
        values += (fact.other,) if fact.detail in ("In", "NotIn") else (fact.value, fact.other)
    if fact.name.endswith(".join"):
        values = [element(v) for v in fact.arguments[:1]]
    elif fact.name.endswith(".format"):
        values = values[-1:]
    late = next((text for value in values if (text := late_text(value)) is not None), None)
    return certainty_of(tensor("", late.note)) if late is not None else None


def is_text(value: Value) -> bool:
    """Whether a value is a text."""
    return value.kind == "string" or (value.kind == "const" and isinstance(value.data, str))
