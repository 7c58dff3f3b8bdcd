"""CS407: isinstance on a compiled module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class WrappedInstanceTest(Rule):
    """Isinstance on a compiled module."""

    code = "CS407"
    name = "wrapped-instance-test"
    summary = "isinstance on a compiled module"
    severity = "note"
    everywhere = True
    reason = "`torch.compile(module)` returns a wrapper."
    help = "compile in place with `module.compile()`"

    fixable = "unsafe"
    facts = ("call:builtins.isinstance",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0)
        if value is not None and value.kind == "compiled" and value.data.kind == "instance":
            yield Report(fix="unsafe")

    def fix(self, correction: Correction) -> None:
        """Ask about the module inside the wrapper."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call) or not call.args:
            correction.decline("the call is not written out")
        base = correction.text(call.args[0].value, operand=True)
        correction.replace(call.args[0].value, f"{base}._orig_mod")
