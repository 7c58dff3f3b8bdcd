"""Remedies for relations between sizes that did not hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_shape import is_zero_or_one, sizes_in
from compilescope.diagnose.explain_words import Words, expression
from compilescope.diagnose.remedies import sizes
from compilescope.diagnose.remedies.catalogue import offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy


def _marks(words: Words, function: str) -> str:
    pairs = sizes_in(expression(words.failure))
    return "\n".join(f"{function}({name}, {dimension})" for name, dimension in pairs[:2])


def duck(words: Words) -> list[Remedy]:
    """Duck sizing."""
    torch = words.evidence.torch
    # `import torch` brings the module along in later releases only.
    before = "import torch.fx.experimental._config\n" if torch and torch < (2, 9) else ""
    return [
        offer(
            "use_duck_shape",
            "Switch duck sizing off, before the first compile",
            f"{before}torch.fx.experimental._config.use_duck_shape = False",
        ),
        offer(
            "mark_dynamic",
            "Or mark both dimensions dynamic before the first call: marked ones are never merged",
            _marks(words, "torch._dynamo.mark_dynamic"),
        ),
        offer("warm_up_unequal", "Or make the first call with two sizes that differ"),
        offer(
            "mark_unbacked",
            "Or mark both dimensions unbacked before the first call",
            _marks(words, "torch._dynamo.decorators.mark_unbacked"),
        ),
    ]


def zero_one(words: Words) -> list[Remedy]:
    """0 and 1."""
    pairs = sizes_in(expression(words.failure))
    if not pairs:
        return sizes.zero_one(words, words.name)
    name, dimension = pairs[0]
    snippet = f"torch._dynamo.decorators.mark_unbacked({name}, {dimension})"
    return sizes.zero_one_by(words, f"dimension {dimension} of `{name}`", snippet)


def bounds(words: Words) -> list[Remedy]:
    """Ranges."""
    raw = words.failure.raw
    if is_zero_or_one(words, expression(words.failure).partition(" ")[0]):
        return zero_one(words)
    if "builder.py" in raw or "mark_" in (words.failure.frame.code if words.failure.frame else ""):
        wider = offer(
            "widen_range", "Mark the dimension with a range that covers every size you send"
        )
        branch = re.match(r"\s*(if|elif|while|assert)\b", words.line)
        return [wider, *(condition(words) if branch else [])]
    return condition(words)


def condition(words: Words) -> list[Remedy]:
    """Branches on sizes."""
    frame = words.failure.frame
    if frame and frame.code and not re.search(r"\b(if|while|assert|elif|and|or)\b", frame.code):
        return agree(words)
    return [
        offer(
            "split_functions",
            "Decide outside: compile each side of the branch as its own function and choose in "
            "eager code",
        ),
        offer("pad", "Pad or bucket the sizes so that all fall on one side"),
        sizes.warm_up("Or call it once on each side at start-up: one graph for each"),
    ]


def divisible(words: Words) -> list[Remedy]:
    """Divisibility."""
    found = re.match(r"^\(?(\w[\w.]*\.shape\[\d+\]) % (\d+)\)? == 0$", expression(words.failure))
    example = f"F.pad(x, (0, -{found[1]} % {found[2]}))" if found else ""
    return [
        offer(
            "pad_always",
            "Pad without asking first: padding by 0 costs nothing and needs no branch",
            example,
        ),
        *condition(words),
    ]


def agree(words: Words) -> list[Remedy]:
    """Sizes that follow from another."""
    del words
    return [
        offer(
            "pad", "Bring the sizes into the same relation before every call (expand, pad or cut)"
        ),
        sizes.warm_up("Or call it once with each relation at start-up: one graph for each"),
    ]


def storage_offset(words: Words) -> list[Remedy]:
    """Views into a storage."""
    match = re.search(r"([\w.\[\]]+)\.storage_offset\(\)", expression(words.failure))
    name = match[1] if match else words.variable
    subject = f"`{name}`" if name else "the slice"
    return [
        offer(
            "clone", f"Copy {subject} before the call", f"{name} = {name}.clone()" if name else ""
        )
    ]


def strides(words: Words) -> list[Remedy]:
    """Relations over strides."""
    return sizes.stride(words)


def exclusion(words: Words) -> list[Remedy]:
    """The exclusion guard."""
    del words
    return [
        offer(
            "exclusion_guard",
            "Let the dynamic graph serve these sizes too",
            "torch._dynamo.config.automatic_dynamic_exclusion_guard = False",
        )
    ]


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "shape.duck": duck,
    "shape.zero_one": zero_one,
    "shape.range": bounds,
    "shape.mod": divisible,
    "shape.eq": agree,
    "shape.derived": agree,
    "shape.product": agree,
    "shape.storage_offset": storage_offset,
    "shape.stride": strides,
    "shape.exclusion": exclusion,
    "shape": condition,
}
