"""CS191: a data loader in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class LoaderLoop(Rule):
    """A data loader in compiled code."""

    code = "CS191"
    name = "loader-loop"
    summary = "a data loader in compiled code"
    gb_ids = ("GB0008",)
    severity = "eager"
    reason = "The loader is not traced; the function falls back to eager."
    help = "compile the step and loop outside"

    facts = ("iterate",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind == "object" and fact.value.data == "torch.utils.data.DataLoader":
            yield Report()
