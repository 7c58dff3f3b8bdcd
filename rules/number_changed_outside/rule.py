"""CS210: a number that code outside changes between calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

SCHEDULED = ("loop", "varying", "random", "drawn", "item")


class NumberChangedOutside(Rule):
    """A number that code outside changes between calls."""

    code = "CS210"
    name = "number-changed-outside"
    summary = "a number that code outside changes between calls"
    severity = "bounded"
    everywhere = True
    reason = "The graph is compiled for the value it saw."
    help = "make it a 0-d tensor"

    facts = ("store-attribute", "read-attribute", "store-global", "read-global")

    def __init__(self) -> None:
        self.reads: dict[object, Fact] = {}
        self.writes: set[object] = set()

    def changes(self, fact: Fact) -> bool:
        """Whether a store gives another number each time."""
        if fact.key == "store-global":
            return bool(fact.extra)
        target, operator = fact.extra
        function = fact.site.function
        if function is not None and function.owner is not None and function.parameters:
            this = function.parameters[0][0]
            if isinstance(target.value, ast.Name) and target.value.id == this:
                return False
        # in a loop, or by a schedule: not the one setting before the first call
        return bool(operator) or (fact.other.kind == "number" and fact.other.data in SCHEDULED)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key.endswith("global"):
            name = (fact.site.module.path, fact.detail)
        else:
            if fact.value.kind != "instance":
                return
            name = (fact.value.data.owner, fact.detail)
        if fact.key.startswith("read"):
            if fact.site.compiled and fact.other.kind in ("number", "const", "unknown"):
                number = fact.other.data if fact.other.kind == "const" else 0.0
                if isinstance(number, int | float) and not isinstance(number, bool):
                    self.reads.setdefault(name, fact.kept())
        elif not fact.site.compiled and not fact.site.init and self.changes(fact):
            self.writes.add(name)
        if name in self.reads and name in self.writes:
            yield Report(f"`{fact.detail}` changes between calls", at=self.reads[name])
