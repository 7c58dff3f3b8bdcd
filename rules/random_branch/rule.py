"""CS107: Python decides on a random number."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, holds


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
        """Report the place; before 2.14 the graph has ended at `random.random()` itself."""
        if fact.value.kind != "number":
            return
        drawn = fact.value.data == "drawn"
        if drawn or (fact.value.data == "random" and holds(">=2.14", target)):
            yield Report()
