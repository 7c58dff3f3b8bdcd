"""CS406: the state of a compiled module."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class WrappedStateDict(Rule):
    """The state of a compiled module."""

    code = "CS406"
    name = "wrapped-state-dict"
    summary = "the state of a compiled module"
    severity = "note"
    everywhere = True
    reason = "The wrapper adds `_orig_mod.` to every key."
    help = "use the original module, or `module.compile()`"

    facts = ("compiled-attribute",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.detail == "state_dict" and fact.value.data.kind == "instance":
            yield Report()
