"""CS401: os.getenv in compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class FrozenEnvironment(Rule):
    """Os.getenv in compiled code."""

    code = "CS401"
    name = "frozen-environment"
    summary = "os.getenv in compiled code"
    severity = "note"
    reason = "The value is frozen when the graph is built."
    help = "read it once at module level, or use `os.environ.get`"

    fixable = "safe"
    facts = ("call:os.getenv",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        del fact
        yield Report(fix="safe")

    def fix(self, correction: Correction) -> None:
        """Read the mapping, which the compiler guards."""
        import libcst as cst

        if not isinstance(correction.node, cst.Call):
            correction.decline("the call is not written out")
        correction.replace(correction.node.func, correction.name("os.environ.get"))
