"""Numbers of which each value has a graph of its own, whatever holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose.remedies import sizes
from compilescope.diagnose.remedies.catalogue import offer
from compilescope.diagnose.uses import Use, keyword

if TYPE_CHECKING:
    from compilescope.diagnose.explain_words import Words
    from compilescope.diagnosis import Remedy


def each_value(words: Words) -> Remedy:
    """A call with each value at start-up."""
    subject = words.name or "the number"
    return sizes.warm_up(
        f"Call it once with each value of {subject} at start-up: one graph for each"
    )


def steering(words: Words, used: Use) -> list[Remedy]:
    """A number of which each value is a program of its own: of rounds, an axis, in a branch."""
    warm = each_value(words)
    if used is Use.CONSTANT:
        return [warm]
    if used is Use.LOOP:
        text = "Compile the body of the loop instead of the loop, and loop in eager code"
        return [offer("compile_body", text), warm]
    text = "Or decide outside: choose in eager code between functions that are each compiled"
    return [warm, offer("split_functions", text)]


_FACTORS = ("alpha", "scale")


def python_number(words: Words) -> list[Remedy]:
    """An argument of which each number is a constant, and which takes no tensor."""
    subject, argument = words.name or "the number", keyword(words)
    only = f"`{argument}=`, which takes a Python number only"
    if argument in _FACTORS:
        text = f"Multiply by {subject} as a 0-dimensional tensor, instead of passing it as {only}"
        return [offer("pass_as_tensor", text)]
    return [
        sizes.warm_up(
            f"Call it once with each value of {subject} at start-up: it goes to {only}, so each "
            "value has one graph"
        ),
        offer("tensor_math", f"Or write that step with torch functions and {subject} as a tensor"),
    ]
