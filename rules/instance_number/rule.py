"""CS213: a number that differs between separately compiled objects."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.values import Value


class InstanceNumber(Rule):
    """A number that differs between separately compiled objects."""

    code = "CS213"
    name = "instance-number"
    summary = "a number that differs between separately compiled objects"
    severity = "limit"
    certainty = "likely"
    everywhere = True
    reason = (
        "The objects share one compiled function, and the number is a constant of each of "
        "its graphs."
    )
    help = "keep it in a buffer, or compile the whole model"

    facts = ("compile", "compiled-call", "read-attribute")

    def __init__(self) -> None:
        self.separate: set[str] = set()

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        path = fact.site.module.path
        if fact.key == "compile":
            if fact.site.loops and fact.value.kind == "instance":
                self.separate.add(path)
        elif fact.key == "compiled-call":
            if any(v.kind == "instance" for v in fact.arguments):
                self.separate.add(path)
        elif fact.site.compiled and path in self.separate and fact.other == Value("number", "loop"):
            yield Report(f"`{fact.detail}` differs between objects that are compiled separately")
