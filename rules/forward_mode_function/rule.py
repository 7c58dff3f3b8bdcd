"""CS165: an autograd.Function with jvp or vmap."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class ForwardModeFunction(Rule):
    """An autograd.Function with jvp or vmap."""

    code = "CS165"
    name = "forward-mode-function"
    summary = "an autograd.Function with jvp or vmap"
    gb_ids = ("GB0144",)
    reason = "The compiler traces forward and backward only."
    help = "remove `jvp` and `vmap` if nothing needs them"

    facts = ("apply",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if {"jvp", "vmap"} & fact.value.data.methods.keys():
            yield Report()
