"""CS192: an asynchronous collective in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

COLLECTIVES = (
    "all_reduce all_gather all_gather_into_tensor reduce_scatter reduce_scatter_tensor broadcast "
    "all_to_all all_to_all_single reduce gather scatter"
)


class AsynchronousCollective(Rule):
    """An asynchronous collective in compiled code."""

    code = "CS192"
    name = "asynchronous-collective"
    summary = "an asynchronous collective in compiled code"
    gb_ids = ("GB0172", "GB0156")
    reason = "The handle that it returns is not traced."
    help = "leave `async_op` out"

    facts = tuple(f"call:torch.distributed.{name}" for name in COLLECTIVES.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        flag = fact.keywords.get("async_op")
        if flag is not None and flag.data is True:
            yield Report()
