"""CS222: an optimizer step compiled beside a scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class ScheduledOptimizer(Rule):
    """An optimizer step compiled beside a scheduler."""

    code = "CS222"
    name = "scheduled-optimizer"
    summary = "an optimizer step compiled beside a scheduler"
    severity = "limit"
    everywhere = True
    reason = (
        "The scheduler wraps `step` and changes a Python number that the graph was compiled for."
    )
    help = "use `lr=torch.tensor(...)` and compile before making the scheduler"

    facts = ("compile", "package:torch.optim.lr_scheduler")

    def __init__(self) -> None:
        self.scheduled: dict[str, int] = {}

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key != "compile":
            line = getattr(fact.node, "lineno", 0)
            self.scheduled.setdefault(fact.site.module.path, line)
        elif fact.value.kind == "method" and fact.value.note == "step":
            optimizer = str(fact.value.data.data).startswith("torch.optim.")
            line = self.scheduled.get(fact.site.module.path)
            if optimizer and line is not None and line < getattr(fact.node, "lineno", 0):
                yield Report()
