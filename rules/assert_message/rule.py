"""CS104: an assertion on tensor data whose message is not a constant string."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope import wording
from compilescope.lint.choices import is_message
from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class AssertMessage(Rule):
    """An assertion on tensor data whose message is not a constant string."""

    code = "CS104"
    name = "assert-message"
    summary = "an assertion on tensor data whose message is not a constant string"
    gb_ids = ("GB0170",)
    reason = wording.MESSAGE
    help = wording.USE_CONSTANT

    fixable = "unsafe"
    facts = ("assert",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        message = fact.extra
        if certainty is None or message is None:
            return
        if not isinstance(message, ast.Constant):
            fix: Literal["unsafe", ""] = "unsafe" if _has_text(message) else ""
            yield Report(certainty=certainty, fix=fix)
        elif not isinstance(message.value, str):
            yield Report(
                "an assertion on tensor data whose message is not a string",
                certainty=certainty,
                severity="raises",
                exact=True,
            )

    def fix(self, correction: Correction) -> None:
        """Write the text of the message, with the expressions as they stand in it."""
        import libcst as cst

        from compilescope.lint.choosing import constant_message

        check = correction.enclosing(correction.nodes[0], cst.Assert)
        if not isinstance(check, cst.Assert) and isinstance(
            correction.nodes[0], cst.SimpleStatementLine
        ):
            check = correction.nodes[0].body[0]
        if not isinstance(check, cst.Assert) or check.msg is None:
            correction.decline("the assertion is not written out")
        message: cst.BaseExpression = check.msg
        if isinstance(message, cst.Tuple):
            message = message.elements[0].value
        correction.replace(check.msg, constant_message(correction, message))


def _has_text(message: ast.expr) -> bool:
    """An f-string, or a tuple that begins with a text."""
    if isinstance(message, ast.Tuple) and message.elts:
        message = message.elts[0]
    return is_message(message)
