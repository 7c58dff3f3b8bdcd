"""CS407: isinstance on a compiled module."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class WrappedInstanceTest(Rule):
    """Isinstance on a compiled module."""

    code = "CS407"
    name = "wrapped-instance-test"
    summary = "isinstance on a compiled module"
    severity = "note"
    everywhere = True
    reason = "`torch.compile(module)` returns a wrapper."
    help = "compile in place with `module.compile()`"

    facts = ("call:builtins.isinstance",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        value = fact.argument(0)
        if value is not None and value.kind == "compiled" and value.data.kind == "instance":
            yield Report()
