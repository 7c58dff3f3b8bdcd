"""CS208: a Python container looked up by a size."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions


class LookupBySize(Rule):
    """A Python container looked up by a size."""

    code = "CS208"
    name = "lookup-by-size"
    summary = "a Python container looked up by a size"
    severity = "limit"
    reason = "A Python lookup needs the number itself, so the size becomes a constant of the graph."
    help = "keep the table in a tensor"

    facts = ("index",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        base, index = fact.value, fact.other
        modules = base.kind == "object" and base.data.startswith("torch.nn.Module")
        container = base.kind in ("list", "tuple", "dict") or modules
        if container and index.kind == "number" and index.data == "shape":
            yield Report()
