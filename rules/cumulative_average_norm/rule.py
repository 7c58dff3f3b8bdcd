"""CS182: batch norm with a cumulative average."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

KINDS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")


class CumulativeAverageNorm(Rule):
    """Batch norm with a cumulative average."""

    code = "CS182"
    name = "cumulative-average-norm"
    summary = "batch norm with a cumulative average"
    gb_ids = ("GB0124",)
    severity = "eager"
    reason = "The cumulative average reads the counter of batches as a Python number."
    help = "give a momentum"

    facts = tuple(f"call:torch.nn.{kind}.__call__" for kind in KINDS)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        options = dict(fact.value.note or ())
        if "momentum" in options and options["momentum"] is None:
            yield Report()
