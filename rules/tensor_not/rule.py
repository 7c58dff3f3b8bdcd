"""CS102: `not` on a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorNot(Rule):
    """`not` on a tensor."""

    code = "CS102"
    name = "tensor-not"
    summary = "`not` on a tensor"
    gb_ids = ("GB0033",)
    severity = "eager"
    reason = (
        "`not` needs the value while the graph is built, and the compiler cannot resume after it."
    )
    help = "use `torch.logical_not`"

    facts = ("branch",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        certainty = certainty_of(fact.value)
        if fact.detail == "not" and certainty:
            yield Report("`not` turns a tensor into a Python bool", certainty=certainty)
