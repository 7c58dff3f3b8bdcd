"""CS304: an argument changed in place."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions, certainty_of, shown
from compilescope.lint.values import INPUT

METHODS = "add_ sub_ mul_ div_ copy_ zero_ fill_ clamp_ relu_ exp_ sqrt_ masked_fill_ index_copy_"


class InputMutation(Rule):
    """An argument changed in place."""

    code = "CS304"
    name = "input-mutation"
    summary = "an argument changed in place"
    severity = "note"
    pedantic = True
    reason = "Changing an input can rule out CUDA graphs."
    help = "work on a new tensor"

    facts = tuple(f"call:torch.Tensor.{name}" for name in METHODS.split())

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.note & INPUT and fact.site.root:
            message = f"`{shown(fact)}` changes an argument in place"
            yield Report(message, certainty=certainty_of(fact.value))
