"""CS125: builtin pow or divmod on a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, holds

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class BuiltinArithmetic(Rule):
    """Builtin pow or divmod on a tensor."""

    code = "CS125"
    name = "builtin-arithmetic"
    summary = "builtin pow or divmod on a tensor"
    gb_ids = ("GB0059",)
    reason = "The builtins are not traced for tensors."
    help = "use the operators `**`, `//` and `%`"

    fixable = "safe"
    facts = ("call:builtins.pow", "call:builtins.divmod")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        if fact.name == "builtins.pow" and not holds("<2.14", target):
            return
        certainty = next((c for v in fact.arguments if (c := certainty_of(v))), None)
        if certainty:
            yield Report(certainty=certainty, fix="safe" if _is_plain_power(fact) else "")

    def fix(self, correction: Correction) -> None:
        """Write the operator."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call):
            correction.decline("the call is not written out")
        base, exponent = (argument.value for argument in call.args)
        simple = all(isinstance(n, (cst.Name, cst.BaseNumber)) for n in (base, exponent))
        sides = (correction.text(base, operand=True), correction.text(exponent, operand=True))
        power = ("**" if simple else " ** ").join(sides)
        above = correction.parent(call)
        binds = isinstance(above, (cst.Attribute, cst.Subscript, cst.Await, cst.Call)) or (
            isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Power)
        )
        correction.replace(call, f"({power})" if binds and not call.lpar else power)


def _is_plain_power(fact: Fact) -> bool:
    call = fact.node
    return (
        fact.name == "builtins.pow"
        and isinstance(call, ast.Call)
        and len(call.args) == 2
        and not call.keywords
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
    )
