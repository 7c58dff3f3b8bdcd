"""CS406: the state of a compiled module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class WrappedStateDict(Rule):
    """The state of a compiled module."""

    code = "CS406"
    name = "wrapped-state-dict"
    summary = "the state of a compiled module"
    severity = "note"
    everywhere = True
    reason = "The wrapper adds `_orig_mod.` to every key."
    help = "use the original module, or `module.compile()`"

    fixable = "unsafe"
    facts = ("compiled-attribute",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.detail == "state_dict" and fact.value.data.kind == "instance":
            yield Report(fix="unsafe")

    def fix(self, correction: Correction) -> None:
        """Ask the module inside the wrapper."""
        import libcst as cst

        if not isinstance(correction.node, cst.Attribute):
            correction.decline("the method is not written out")
        base = correction.text(correction.node.value, operand=True)
        correction.replace(correction.node.value, f"{base}._orig_mod")
