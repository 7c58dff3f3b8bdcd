"""CS125: builtin arithmetic on tensors."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, holds, shown


class BuiltinArithmetic(Rule):
    """Builtin arithmetic on tensors."""

    code = "CS125"
    name = "builtin-arithmetic"
    summary = "builtin arithmetic on tensors"
    gb_ids = ("GB0059", "GB0088")
    fixable = "safe"
    reason = "These builtins are not traced for tensors."
    help = "use the operators"

    facts = ("call:builtins.pow", "call:builtins.divmod")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        if fact.name == "builtins.pow" and not holds("<2.14", target):
            return
        certainty = next((c for v in fact.arguments if (c := certainty_of(v))), None)
        if certainty:
            yield Report(f"`{shown(fact)}` of a tensor", certainty=certainty)
