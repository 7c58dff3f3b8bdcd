"""CS104: an assertion on tensor data whose message is not a constant string."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class AssertMessage(Rule):
    """An assertion on tensor data whose message is not a constant string."""

    code = "CS104"
    name = "assert-message"
    summary = "an assertion on tensor data whose message is not a constant string"
    gb_ids = ("GB0170",)
    reason = (
        "Only an assertion with a constant message becomes part of the graph; this one is a "
        "branch on data."
    )
    help = "use a constant string as the message"

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
            fix: Literal["unsafe", ""] = "unsafe" if isinstance(message, ast.JoinedStr) else ""
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

        check = correction.enclosing(correction.nodes[0], cst.Assert)
        if not isinstance(check, cst.Assert) and isinstance(
            correction.nodes[0], cst.SimpleStatementLine
        ):
            check = correction.nodes[0].body[0]
        if not isinstance(check, cst.Assert) or not isinstance(check.msg, cst.FormattedString):
            correction.decline("the message is put together from several strings")
        quote, parts = check.msg.end, list[str]()
        for part in check.msg.parts:
            if isinstance(part, cst.FormattedStringText):
                parts.append(part.value.replace("{{", "{").replace("}}", "}"))
            elif isinstance(part, cst.FormattedStringExpression):
                parts.append(correction.text(part.expression))
        expressions = [p for p in check.msg.parts if isinstance(p, cst.FormattedStringExpression)]
        if any(set(correction.text(p.expression)) & set("\"'\\\n\r") for p in expressions):
            correction.decline("an expression of the message holds a string")
        prefix = check.msg.prefix.replace("f", "").replace("F", "")
        correction.replace(check.msg, prefix + quote + "".join(parts) + quote)
