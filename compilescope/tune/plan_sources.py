"""Trials by configuration alone, for values that no line of the user's code can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compilescope.tune.remedy import Candidate, compile_with, config
from compilescope.tune.situation import Situation

_SCALARS = re.compile(r"item|tolist|scalar", re.IGNORECASE)
_SHAPES = re.compile(r"dynamic shape operator|nonzero|masked_select|unique", re.IGNORECASE)
_STACK = re.compile(r"^_{2,3}(stack\d+)(.*)$")


def across_break(situation: Situation) -> Iterator[Candidate]:
    """Take the break away by capturing what broke; else let the value be symbolic."""
    text = " ".join(
        f"{one.type} {one.why}" for one in situation.diagnosis.graph_breaks if _same(situation, one)
    )
    scalars = config("dynamo.capture_scalar_outputs", value=True)
    shapes = config("dynamo.capture_dynamic_output_shape_ops", value=True)
    if _SHAPES.search(text):
        yield situation.candidate(
            "capture_dynamic_output_shape_ops",
            "capture_dynamic_output_shape_ops = True, capture_scalar_outputs = True",
            shapes,
            scalars,
        )
    if _SCALARS.search(text):
        yield situation.candidate(
            "capture_scalar_outputs", "capture_scalar_outputs = True", scalars
        )
    dynamic = compile_with(situation.callable, dynamic=True)
    text = "torch.compile(dynamic=True)" + situation.of_callable
    yield situation.candidate("dynamic_true", text, dynamic, weight=2)


def _same(situation: Situation, found: object) -> bool:
    names = set(getattr(found, "functions", ()))
    function = situation.words.function
    return not names or any(function in name for name in names)


def sources(situation: Situation) -> Iterator[Candidate]:
    """The value named in torch's own settings."""
    pattern = _pattern(situation)
    kind = situation.cause.kind
    if not pattern or not kind.startswith(("tensor.size", "shape.", "const.", "module.", "attr")):
        return
    sized = kind.startswith(("tensor.size", "shape.", "module.param_shape"))
    if not sized and not situation.is_number:
        return  # a flag or a word is no symbol
    entry = config("compiler.unbacked_sources", pattern)
    yield situation.candidate("unbacked_sources", f"unbacked_sources = {pattern!r}", entry)
    entry = config("compiler.dynamic_sources", pattern)
    yield situation.candidate("dynamic_sources", f"dynamic_sources = {pattern!r}", entry)


def named(name: str, dimension: int | None, torch: tuple[int, int]) -> str:
    """The pattern of torch's settings for an argument, one dimension of it where torch can."""
    head, last = re.match(r"\w*", name), re.search(r"\.(\w+)$", name)
    pattern = rf"L\['{head.group() if head else name}'\]"
    if last:
        pattern += rf".*\.{last[1]}$"
    return f"{pattern}:{dimension}" if dimension is not None and torch >= (2, 13) else pattern


def _pattern(situation: Situation) -> str:
    source = situation.cause.source
    stacked = _STACK.match(source)
    if stacked:
        # Torch matches from the start of the name, which covers the elements of a list.
        return rf"L\['___{stacked[1]}'\]"
    head = re.match(r"^(\w+)", source)
    if head is None:
        return ""
    last = re.search(r"\.(\w+)$", source)
    name = f"{head[1]}.{last[1]}" if last and head[1] != last[1] else head[1]
    return named(name, situation.cause.dimension, situation.torch)
