"""CS125: builtin pow or divmod on a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, holds


class BuiltinArithmetic(Rule):
    """Builtin pow or divmod on a tensor."""

    code = "CS125"
    name = "builtin-arithmetic"
    summary = "builtin pow or divmod on a tensor"
    gb_ids = ("GB0059",)
    reason = "The builtins are not traced for tensors."
    help = "use the operators `**`, `//` and `%`"

    facts = ("call:builtins.pow", "call:builtins.divmod")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        if fact.name == "builtins.pow" and not holds("<2.14", target):
            return
        certainty = next((c for v in fact.arguments if (c := certainty_of(v))), None)
        if certainty:
            yield Report(certainty=certainty)
