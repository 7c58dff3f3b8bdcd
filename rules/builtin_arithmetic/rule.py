"""CS125: builtin pow on a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class BuiltinArithmetic(Rule):
    """Builtin pow on a tensor."""

    code = "CS125"
    name = "builtin-arithmetic"
    summary = "builtin pow on a tensor"
    gb_ids = ("GB0059",)
    until = (2, 13)
    fixable = "safe"
    reason = "The builtin is not traced for tensors."
    help = "use the operator `**`"

    facts = ("call:builtins.pow",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = next((c for v in fact.arguments if (c := certainty_of(v))), None)
        if certainty:
            yield Report(certainty=certainty)
