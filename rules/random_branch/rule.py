"""CS107: Python decides on a random number."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class RandomBranch(Rule):
    """Python decides on a random number."""

    code = "CS107"
    name = "random-branch"
    summary = "Python decides on a random number"
    gb_ids = ("GB0170",)
    reason = (
        "A drawn number is an input of the graph, not a constant: a branch on it is a "
        "branch on data."
    )
    help = "choose with `torch.where`, or decide outside"

    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind == "number" and fact.value.data in ("random", "drawn"):
            yield Report()
