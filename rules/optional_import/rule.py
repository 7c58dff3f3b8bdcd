"""CS133: an import in compiled code that may fail."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class OptionalImport(Rule):
    """An import in compiled code that may fail."""

    code = "CS133"
    name = "optional-import"
    summary = "an import in compiled code that may fail"
    gb_ids = ("GB0069",)
    severity = "eager"
    certainty = "likely"
    reason = "An import that fails while tracing makes the whole function run eagerly."
    help = "import at module level and test a flag"

    facts = ("import",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.site.guarded:
            yield Report()
