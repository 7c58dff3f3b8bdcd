"""CS127: a Python sequence indexed or sliced by tensor data."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of


class TensorAsIndex(Rule):
    """A Python sequence indexed or sliced by tensor data."""

    code = "CS127"
    name = "tensor-as-index"
    summary = "a Python sequence indexed or sliced by tensor data"
    captured = True
    gb_ids = ("GB0124",)
    severity = "eager"
    reason = "A Python sequence needs the value of the index while the graph is built."
    help = "use `index_select`, a mask, or a Python number"

    facts = ("index",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.kind in ("list", "tuple") or (
            fact.value.kind == "object" and fact.value.data.startswith("torch.nn.")
        ):
            certainty = certainty_of(fact.other)
            if certainty:
                yield Report("a Python sequence indexed by tensor data", certainty=certainty)
                return
        for part in fact.other.data if fact.other.kind == "tuple" else (fact.other,):
            if part.kind == "slice" and fact.value.kind != "unknown":
                certainty = next((c for bound in part.data if (c := certainty_of(bound))), None)
                if certainty:
                    yield Report("a slice whose bound is tensor data", certainty=certainty)
                    return
