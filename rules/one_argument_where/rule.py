"""CS142: torch.where with one argument."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import CallRule, Fact


class OneArgumentWhere(CallRule):
    """Torch.where with one argument."""

    code = "CS142"
    name = "one-argument-where"
    summary = "torch.where with one argument"
    names = {
        "torch.where": "",
    }
    message = "`torch.where` with one argument: the size of the result depends on the data"
    captured = True
    gb_ids = ("GB0036",)
    reason = wording.SELECTED
    help = wording.USE_MASK

    def applies(self, fact: Fact) -> bool:
        """With three arguments the size is fixed."""
        return len(fact.arguments) == 1 and not fact.keywords.keys() & {"input", "other", "self"}
