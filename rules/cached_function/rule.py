"""CS402: a cached function called in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import contains_tensor


class CachedFunction(Rule):
    """A cached function called in compiled code."""

    code = "CS402"
    name = "cached-function"
    summary = "a cached function called in compiled code"
    severity = "note"
    reason = "The cache is ignored: the body is traced and runs on every call."
    help = "compute it once outside the compiled function"

    facts = ("cached-call",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if contains_tensor(fact.other):
            yield Report()
