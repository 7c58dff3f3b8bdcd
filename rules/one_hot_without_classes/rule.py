"""CS144: one_hot without the number of classes."""

from __future__ import annotations

from compilescope.lint.rule import CallRule, Fact


class OneHotWithoutClasses(CallRule):
    """One_hot without the number of classes."""

    code = "CS144"
    name = "one-hot-without-classes"
    summary = "one_hot without the number of classes"
    names = {
        "torch.nn.functional.one_hot": "",
    }
    message = "`F.one_hot` without `num_classes`: the size of the result depends on the data"
    gb_ids = ("GB0246",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "pass `num_classes`"

    def applies(self, fact: Fact) -> bool:
        """With the number of classes the size is fixed."""
        count = fact.argument(1, "num_classes")
        return count is None or count.data == -1
